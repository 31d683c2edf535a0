// SPDX-License-Identifier: Apache-2.0
#include "http/routes.h"

#include <gtest/gtest.h>

#include "http/pages.h"
#include "support/sample_status.h"

namespace storage_probe::http {
namespace {

using test::kNoon;

class RoutesTest : public ::testing::Test {
 protected:
  Response get(const std::string& path) {
    RouteOptions options;
    options.telemetry_path = telemetry_path_;
    options.procfs = "/nonexistent";
    options.now = [] { return kNoon; };
    for (const Route& route : standard_routes(
             published_, exposition_, [this] { return live_; }, options))
      if (route.path == path) return route.handle();
    Response none;
    none.status = 404;
    return none;
  }
  void publish(Snapshot snapshot) {
    published_.set(std::make_shared<const Snapshot>(std::move(snapshot)));
  }

  std::string telemetry_path_ = "/metrics";
  Published<Snapshot> published_;
  metrics::CachedExposition exposition_;
  metrics::LiveStatus live_{kNoon, {}, 0, {}};
};

TEST_F(RoutesTest, ServeTheSnapshotAndTheLiveFigures) {
  const Snapshot snapshot = test::sample_snapshot();
  publish(snapshot);
  const Response response = get("/metrics");
  EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(*response.body, metrics::render(snapshot));
  EXPECT_NE(response.tail.find("storage_probe_exporter_build_info"), std::string::npos);
  EXPECT_EQ(get("/metrics").body, response.body);  // the same object: compressed once
}

TEST_F(RoutesTest, ServeMetricsBeforeThereIsASnapshot) {
  EXPECT_EQ(get("/metrics").status, 200);
  EXPECT_EQ(*get("/metrics").body, "");
}

TEST_F(RoutesTest, ServeTheLandingPageWithItsPolicy) {
  publish(test::sample_snapshot());
  const Response response = get("/");
  EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(response.content_security_policy, page_security_policy());
  EXPECT_NE(response.tail.find("mysql-data"), std::string::npos);
}

TEST_F(RoutesTest, MoveWithTheTelemetryPath) {
  telemetry_path_ = "/probe";
  EXPECT_EQ(get("/metrics").status, 404);
  EXPECT_EQ(get("/probe").status, 200);
  EXPECT_NE(get("/").tail.find("href=\"/probe\""), std::string::npos);
}

TEST_F(RoutesTest, HaveNoLandingPageWhereTheMetricsAre) {
  telemetry_path_ = "/";
  EXPECT_EQ(get("/").content_type, "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(RoutesTest, AreHealthyWhileTheHeartbeatIsYoung) {
  live_.heartbeat = kNoon - std::chrono::seconds{30};
  EXPECT_EQ(get("/-/healthy").status, 200);
  EXPECT_EQ(get("/-/healthy").tail, "Healthy\n");
  live_.heartbeat = kNoon - std::chrono::seconds{31};
  EXPECT_EQ(get("/-/healthy").status, 503);
}

TEST_F(RoutesTest, AreReadyWhenTheSnapshotIs) {
  EXPECT_EQ(get("/-/ready").status, 503);
  publish({});
  EXPECT_EQ(get("/-/ready").status, 503);
  publish(test::sample_snapshot());
  EXPECT_EQ(get("/-/ready").status, 200);
}

}  // namespace
}  // namespace storage_probe::http
