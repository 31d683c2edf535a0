// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/hash.h"
#include "support/gunzip.h"
#include "support/http_client.h"

namespace storage_probe::http {
namespace {

using test::HttpAnswer;
using test::request;

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    std::vector<Route> routes;
    routes.push_back({"/metrics", "metrics", [this] {
                        Response response;
                        response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                        response.body = large_;
                        response.tail = "call " + std::to_string(++calls_) + "\n";
                        return response;
                      }});
    routes.push_back({"/down", "down", [] {
                        Response response;
                        response.status = 503;
                        response.tail = "down\n";
                        return response;
                      }});
    routes.push_back({"/throws", "throws", []() -> Response { throw std::runtime_error("x"); }});
    routes.push_back({"/empty", "empty", [] { return Response(); }});
    auto started = Server::start({{"127.0.0.1", 0}}, std::move(routes));
    if (started) server_ = std::move(*started);
  }
  void SetUp() override { ASSERT_TRUE(server_); }
  std::uint16_t port() const { return server_->port(); }
  HttpAnswer get(const std::string& target, const std::string& headers = "") {
    return request(port(), "GET", target, headers);
  }

  const std::shared_ptr<const std::string> large_ =
      std::make_shared<const std::string>(100'000, 'x');
  std::atomic<int> calls_ = 0;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, ServesBodyAndTail) {
  const HttpAnswer answer = get("/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, *large_ + "call 1\n");
  EXPECT_EQ(answer.headers.at("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(answer.headers.at("Content-Length"), std::to_string(answer.body.size()));
}

TEST_F(ServerTest, SendsSecurityHeadersWithEveryAnswer) {
  for (const char* target : {"/metrics", "/nowhere"}) {
    const HttpAnswer answer = get(target);
    EXPECT_EQ(answer.headers.at("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(answer.headers.at("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(answer.headers.at("Cache-Control"), "no-store");
    EXPECT_EQ(answer.headers.at("Content-Security-Policy"),
              "default-src 'none'; frame-ancestors 'none'");
  }
}

TEST_F(ServerTest, IgnoresAQueryString) { EXPECT_EQ(get("/metrics?x=1&y").status, 200); }

TEST_F(ServerTest, KnowsOnlyExactPaths) {
  for (const char* target :
       {"/", "/metrics/", "/metric", "//metrics", "/metrics/../metrics", "*"}) {
    const HttpAnswer answer = get(target);
    EXPECT_EQ(answer.status, 404) << target;
    EXPECT_EQ(answer.body, "404 not found\n");
  }
}

TEST_F(ServerTest, AnswersHeadWithHeadersOnly) {
  const HttpAnswer answer = request(port(), "HEAD", "/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("Content-Length"), "100007");
  EXPECT_EQ(answer.body, "");
}

TEST_F(ServerTest, RefusesOtherMethods) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW", "get"}) {
    const HttpAnswer answer = request(port(), method, "/metrics");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.headers.at("Allow"), "GET, HEAD");
  }
}

TEST_F(ServerTest, PassesOnTheStatusOfARoute) {
  EXPECT_EQ(get("/down").status, 503);
  EXPECT_EQ(get("/down").body, "down\n");
}

TEST_F(ServerTest, ServesAnEmptyAnswer) {
  EXPECT_EQ(get("/empty").status, 200);
  EXPECT_EQ(get("/empty").headers.at("Content-Length"), "0");
}

TEST_F(ServerTest, CompressesForThoseWhoTakeIt) {
  for (int i = 1; i <= 3; ++i) {
    const HttpAnswer answer = get("/metrics", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(answer.headers.at("Content-Encoding"), "gzip");
    EXPECT_LT(answer.body.size(), 5000U);
    EXPECT_EQ(test::gunzip(answer.body), *large_ + "call " + std::to_string(i) + "\n");
  }
  EXPECT_EQ(get("/metrics", "Accept-Encoding: gzip;q=0\r\n").headers.count("Content-Encoding"), 0U);
}

TEST_F(ServerTest, DoesNotCompressAFewBytes) {
  EXPECT_EQ(get("/down", "Accept-Encoding: gzip\r\n").headers.count("Content-Encoding"), 0U);
}

TEST_F(ServerTest, ThrowsASmallBodyAwayAndRefusesALargeOne) {
  const std::string small(1000, 'b');
  EXPECT_EQ(request(port(), "GET", "/down", "Content-Length: 1000\r\n", small).status, 503);
  EXPECT_EQ(request(port(), "POST", "/down", "Content-Length: 1000\r\n", small).status, 405);
  EXPECT_EQ(request(port(), "POST", "/down", "Content-Length: 99999999999\r\n").status, 413);
  EXPECT_EQ(request(port(), "POST", "/down", "Transfer-Encoding: chunked\r\n").status, 413);
}

TEST_F(ServerTest, CountsAnswersByRouteAndStatus) {
  get("/metrics");
  get("/metrics");
  get("/nowhere");
  request(port(), "POST", "/metrics");
  const auto counts = server_->request_counts();
  EXPECT_EQ(counts.at({"metrics", 200}), 2U);
  EXPECT_EQ(counts.at({"metrics", 405}), 1U);
  EXPECT_EQ(counts.at({"other", 404}), 1U);
}

TEST_F(ServerTest, SurvivesARouteThatThrows) {
  EXPECT_EQ(get("/throws").status, 0);
  EXPECT_EQ(get("/down").status, 503);
}

TEST_F(ServerTest, KeepsAConnectionOpenForTheNextScrape) {
  const UniqueFd fd = test::connect_to(port());
  const std::string first = "GET /down HTTP/1.1\r\nHost: test\r\n\r\n";
  const std::string last = "GET /down HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
  test::send_all(fd, first + last);
  const std::string text = test::read_to_end(fd);
  EXPECT_EQ(text.rfind("HTTP/1.1 503", 0), 0U);
  EXPECT_GT(text.rfind("HTTP/1.1 503"), 0U);
}

TEST_F(ServerTest, ScrapesBesideASlowClient) {
  const UniqueFd slow = test::connect_to(port());
  test::send_all(slow, "GET /metrics HTTP/1.1\r\nHo");
  const UniqueFd deaf = test::connect_to(port());  // asks and never reads
  test::send_all(deaf, "GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(get("/metrics").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{2});
}

TEST_F(ServerTest, ScrapesBesideFiveHundredIdleConnections) {
  std::vector<UniqueFd> idle;
  for (int i = 0; i < 500; ++i) {
    idle.push_back(test::connect_to(port()));
    ASSERT_TRUE(idle.back()) << i;
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(get("/metrics").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{2});
}

// Garbage may be an unfinished request, which the server waits for: the client does not.
constexpr std::chrono::milliseconds kBriefly{50};

TEST_F(ServerTest, SurvivesPipelinedGarbage) {
  const std::string scrape = "GET /down HTTP/1.1\r\nHost: test\r\n\r\n";
  for (const std::string& garbage :
       {std::string("\0\0\0\0\r\n\r\n", 8), std::string("GET\r\n\r\n"), std::string("\r\n\r\n\r\n"),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string("GET %00%zz HTTP/1.1\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
        scrape + "nonsense\r\n\r\n",
        std::string("GET /down HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("GET /down HTTP/1.1\r\nno colon\r\n\r\n")}) {
    const UniqueFd fd = test::connect_to(port(), kBriefly);
    test::send_all(fd, scrape + garbage);
    test::read_to_end(fd);
    EXPECT_EQ(get("/down").status, 503);
  }
}

TEST_F(ServerTest, SurvivesRandomBytes) {
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    std::string noise(random.below(4000), '\0');
    for (char& c : noise) c = static_cast<char>(random.next());
    const UniqueFd fd = test::connect_to(port(), kBriefly);
    test::send_all(fd, noise + "\r\n\r\n");
    test::read_to_end(fd);
  }
  EXPECT_EQ(get("/down").status, 503);
}

TEST_F(ServerTest, RefusesAHugeHeader) {
  const HttpAnswer answer = get("/down", "X-Huge: " + std::string(200'000, 'h') + "\r\n");
  EXPECT_TRUE(answer.status == 431 || answer.status == 0) << answer.status;
  EXPECT_EQ(get("/down").status, 503);
}

TEST_F(ServerTest, RefusesAHugePath) {
  const HttpAnswer answer = get("/" + std::string(200'000, 'p'));
  EXPECT_TRUE(answer.status == 414 || answer.status == 0) << answer.status;
  EXPECT_EQ(get("/down").status, 503);
}

TEST_F(ServerTest, RaisesTheSoftLimitOfOpenFiles) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < 8192) GTEST_SKIP() << "the hard limit of open files is " << limit.rlim_max;
  EXPECT_GE(limit.rlim_cur, 4096U);
}

TEST_F(ServerTest, SaysThatAnotherProgramHasThePort) {
  const auto second = Server::start({{"127.0.0.1", port()}}, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            "listen on 127.0.0.1:" + std::to_string(port()) +
                ": Address already in use: another program has the port; choose another with "
                "--web.listen-address");
}

TEST(Server, TakesThePortOfItsPredecessorAtOnce) {
  std::uint16_t port = 0;
  for (int i = 0; i < 3; ++i) {
    const auto server = Server::start({{"127.0.0.1", port}}, {});
    ASSERT_TRUE(server) << server.error().message;
    port = (*server)->port();
    EXPECT_EQ(request(port, "GET", "/").status, 404);
  }
}

TEST(Server, ServesSeveralAddresses) {
  const auto first = Server::start({{"127.0.0.1", 0}}, {});
  ASSERT_TRUE(first);
  const auto second = Server::start({{"", 0}, {"127.0.0.1", 0}}, {});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(request((*second)->port(), "GET", "/").status, 404);  // IPv4 on the socket for both
}

TEST(Server, NeedsAnAddress) {
  const auto server = Server::start({}, {});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().message, "no address to listen on is given");
}

}  // namespace
}  // namespace storage_probe::http
