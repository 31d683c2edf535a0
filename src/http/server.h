// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace storage_probe::http {

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;
};

// One address to listen on, parsed from "HOST:PORT" with an optional host: ":10067",
// "127.0.0.1:10067", "[::1]:10067", "localhost:10067". An empty host is every address, IPv6 and
// IPv4.
struct Address {
  std::string host;
  std::uint16_t port = 0;
};
Result<Address> parse_address(std::string_view text);

// A path served, exactly. GET and HEAD only: anything else is 405, an unknown path 404. `handle`
// runs on the server's thread, must not block, and must outlive nothing: it is copied.
struct Route {
  std::string path;
  std::string name;  // the label `handler` in the request counts
  std::function<Response()> handle;
};

// libmicrohttpd with its epoll thread: slow clients do not hold up a scrape. Owned by the service,
// started before the first probe; the destructor stops the threads. A scrape never starts I/O.
class Server {
 public:
  // An address that cannot be bound is one error that names it, the reason and the cure.
  static Result<std::unique_ptr<Server>> start(const std::vector<Address>& addresses,
                                               std::vector<Route> routes);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Requests answered, by handler name and status. Any thread.
  std::map<std::pair<std::string, int>, std::uint64_t> request_counts() const;
  // The port bound to the first address, for tests that ask for port 0.
  std::uint16_t port() const;

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace storage_probe::http
