// SPDX-License-Identifier: Apache-2.0
#include "http/routes.h"

#include <memory>
#include <string_view>
#include <utility>

#include "http/pages.h"

namespace storage_probe::http {
namespace {

constexpr Duration kHeartbeatTimeout = std::chrono::seconds{30};

Response answer(int status, std::string_view text) {
  Response response;
  response.status = status;
  response.tail = text;
  return response;
}

Response landing(const Published<Snapshot>& snapshots, const RouteOptions& options) {
  const auto snapshot = snapshots.get();
  Response response;
  response.content_type = "text/html; charset=utf-8";
  response.content_security_policy = page_security_policy();
  response.tail =
      landing_page(snapshot ? *snapshot : Snapshot(), options.telemetry_path, options.now());
  return response;
}

}  // namespace

std::vector<Route> standard_routes(const Published<Snapshot>& snapshots,
                                   metrics::CachedExposition& exposition,
                                   std::function<metrics::LiveStatus()> live,
                                   const RouteOptions& options) {
  std::vector<Route> routes;
  routes.push_back(
      {options.telemetry_path, "metrics", [&snapshots, &exposition, live, procfs = options.procfs] {
         Response response;
         response.content_type = "text/plain; version=0.0.4; charset=utf-8";
         response.body = exposition.text(snapshots.get());
         response.tail = metrics::render_live(live(), procfs);
         return response;
       }});
  if (options.telemetry_path != "/")
    routes.push_back(
        {"/", "landing", [&snapshots, options] { return landing(snapshots, options); }});
  routes.push_back({"/-/healthy", "healthy", [live = std::move(live), now = options.now] {
                      return now() - live().heartbeat <= kHeartbeatTimeout
                                 ? answer(200, "Healthy\n")
                                 : answer(503, "Unhealthy: the event loop does not answer\n");
                    }});
  routes.push_back({"/-/ready", "ready", [&snapshots] {
                      const auto snapshot = snapshots.get();
                      return snapshot && snapshot->ready ? answer(200, "Ready\n")
                                                         : answer(503, "Not ready: starting\n");
                    }});
  return routes;
}

}  // namespace storage_probe::http
