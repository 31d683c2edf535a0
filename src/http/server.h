// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/listen.h"

namespace storage_probe::http {

// What a route answers: `body` and then `tail`. A body that many answers share is compressed once,
// as long as it is the same object; the tail is for what changes each time. A null body is empty.
struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;
  std::string tail;
  std::string content_security_policy = "default-src 'none'; frame-ancestors 'none'";
};

// A path served, exactly; a query string is ignored. GET and HEAD only: anything else is 405, an
// unknown path 404. `handle` runs on the server's threads, several at once where there are several
// addresses, and must not block.
struct Route {
  std::string path;
  std::string name;  // the label `handler` in the request counts
  std::function<Response()> handle;
};

// libmicrohttpd with one epoll thread an address: slow clients do not hold up a scrape. Owned by
// the service, started before the first probe; the destructor stops the threads, so whatever the
// routes refer to must outlive the server. A scrape never starts I/O.
class Server {
  struct State;

 public:
  // Raises the process's soft limit of open files for up to 4096 connections, where it may. An
  // address that cannot be bound is one error that names it, the reason and the cure.
  static Result<std::unique_ptr<Server>> start(const std::vector<Address>& addresses,
                                               std::vector<Route> routes);
  explicit Server(std::unique_ptr<State> state);  // for start(): nobody else has a State
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Requests answered, by handler name ("other" for unknown paths) and status. Any thread.
  std::map<std::pair<std::string, int>, std::uint64_t> request_counts() const;
  // The port bound to the first address, for tests that ask for port 0.
  std::uint16_t port() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace storage_probe::http
