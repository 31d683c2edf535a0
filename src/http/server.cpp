// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <microhttpd.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>

#include "http/gzip.h"

namespace storage_probe::http {
namespace {

constexpr unsigned kMaxConnections = 4096;
constexpr unsigned kReservedFds = 256;  // for the rest of the process: pipes, journals, devices
constexpr unsigned kIdleTimeoutSeconds = 10;
constexpr std::size_t kConnectionMemory = 16384;  // bounds the request line and its headers
constexpr std::uint64_t kMaxRequestBody = 65536;  // read and thrown away
constexpr std::size_t kWorthCompressing = 512;

struct StopDaemon {
  void operator()(MHD_Daemon* daemon) const { ::MHD_stop_daemon(daemon); }
};
struct DestroyResponse {
  void operator()(MHD_Response* response) const { ::MHD_destroy_response(response); }
};
using Daemon = std::unique_ptr<MHD_Daemon, StopDaemon>;
using ResponseHandle = std::unique_ptr<MHD_Response, DestroyResponse>;

// What is being sent, kept until it is.
struct Payload {
  std::shared_ptr<const std::string> body;
  std::shared_ptr<const GzipHead> head;  // instead of the body
  std::string tail;
};

void free_payload(void* payload) { std::unique_ptr<Payload>(static_cast<Payload*>(payload)); }

ResponseHandle make_response(Payload parts) {
  auto payload = std::make_unique<Payload>(std::move(parts));
  std::array<MHD_IoVec, 2> vectors{};
  unsigned count = 0;
  const auto append = [&](const std::string& text) {
    if (!text.empty()) vectors.at(count++) = {text.data(), text.size()};
  };
  if (payload->head)
    append(payload->head->data);
  else if (payload->body)
    append(*payload->body);
  append(payload->tail);
  ResponseHandle response(
      ::MHD_create_response_from_iovec(vectors.data(), count, &free_payload, payload.get()));
  if (response) payload.release();  // NOLINT(bugprone-unused-return-value): free_payload has it
  return response;
}

bool add_header(MHD_Response* response, const char* name, const std::string& value) {
  return ::MHD_add_response_header(response, name, value.c_str()) == MHD_YES;
}

std::string_view header(MHD_Connection* connection, const char* name) {
  const char* value = ::MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// Whether to refuse the request's body unread: it is longer than any that we would throw away, or
// of unknown length.
bool body_is_unwelcome(MHD_Connection* connection) {
  if (!header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING).empty()) return true;
  const std::string_view length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
  if (length.find_first_not_of("0123456789") != std::string_view::npos) return true;
  constexpr std::size_t kDigits = 5;  // of the limit
  return length.size() > kDigits ||
         (!length.empty() && std::stoull(std::string(length)) > kMaxRequestBody);
}

Response text_response(int status, std::string_view text) {
  Response response;
  response.status = status;
  response.tail = text;
  return response;
}

// The most connections that this process may hold. Raises the soft limit where it can.
unsigned connection_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMaxConnections;
  constexpr rlim_t kWanted = kMaxConnections + kReservedFds;
  if (limit.rlim_cur < kWanted && limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = std::min(kWanted, limit.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  if (limit.rlim_cur >= kWanted) return kMaxConnections;
  return static_cast<unsigned>(std::max<rlim_t>(limit.rlim_cur / 2, 1));
}

}  // namespace

struct Server::State {
  // The last body of a route that was compressed.
  struct Compressed {
    std::shared_ptr<const std::string> of;
    std::shared_ptr<const GzipHead> head;
  };

  std::vector<Route> routes;
  std::uint16_t port = 0;
  mutable std::mutex mutex;  // guards `counts` and `compressed`
  std::map<std::pair<std::string, int>, std::uint64_t> counts;
  std::map<std::string, Compressed> compressed;  // by route name
  std::vector<Daemon> daemons;                   // last: stopped before the rest goes

  // Starts to serve on a listening socket; false when there is no thread or memory for it.
  bool serve(UniqueFd socket, unsigned connections);

  // NOLINTNEXTLINE(readability-function-size): the library says what its callback is given.
  static MHD_Result on_access(void* closure, MHD_Connection* connection, const char* url,
                              const char* method, const char* version, const char* upload,
                              std::size_t* upload_size, void** request);
  MHD_Result on_request(MHD_Connection* connection, std::string_view url, std::string_view method);
  MHD_Result send(MHD_Connection* connection, Response response, const std::string& name);
  std::optional<Payload> compress(const Response& response, const std::string& name);
  std::shared_ptr<const GzipHead> compressed_head(const std::shared_ptr<const std::string>& body,
                                                  const std::string& name);
};

std::shared_ptr<const GzipHead> Server::State::compressed_head(
    const std::shared_ptr<const std::string>& body, const std::string& name) {
  {
    const std::lock_guard lock(mutex);
    const Compressed& last = compressed[name];
    if (last.head && last.of == body) return last.head;
  }
  // Not under the lock: a large body takes milliseconds, and request_counts() must not wait.
  auto head = gzip_head(body ? *body : std::string_view());
  if (!head) return nullptr;
  auto shared = std::make_shared<const GzipHead>(std::move(*head));
  const std::lock_guard lock(mutex);
  compressed[name] = {body, shared};
  return shared;
}

std::optional<Payload> Server::State::compress(const Response& response, const std::string& name) {
  const auto head = compressed_head(response.body, name);
  if (!head) return std::nullopt;
  auto tail = gzip_tail(*head, response.tail);
  if (!tail) return std::nullopt;
  return Payload{nullptr, head, std::move(*tail)};
}

MHD_Result Server::State::send(MHD_Connection* connection, Response response,
                               const std::string& name) {
  const std::size_t length = (response.body ? response.body->size() : 0) + response.tail.size();
  std::optional<Payload> compact;
  if (length >= kWorthCompressing &&
      accepts_gzip(header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING)))
    compact = compress(response, name);
  const ResponseHandle answer = make_response(
      compact ? std::move(*compact) : Payload{response.body, nullptr, std::move(response.tail)});
  if (!answer) return MHD_NO;
  MHD_Response* raw = answer.get();
  const bool complete =
      add_header(raw, MHD_HTTP_HEADER_CONTENT_TYPE, response.content_type) &&
      add_header(raw, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store") &&
      add_header(raw, "X-Content-Type-Options", "nosniff") &&
      add_header(raw, "Referrer-Policy", "no-referrer") &&
      add_header(raw, "Content-Security-Policy", response.content_security_policy) &&
      add_header(raw, MHD_HTTP_HEADER_VARY, "Accept-Encoding") &&
      (!compact || add_header(raw, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip")) &&
      (response.status != MHD_HTTP_METHOD_NOT_ALLOWED ||
       add_header(raw, MHD_HTTP_HEADER_ALLOW, "GET, HEAD")) &&
      (response.status != MHD_HTTP_CONTENT_TOO_LARGE ||
       add_header(raw, MHD_HTTP_HEADER_CONNECTION, "close"));
  if (!complete) return MHD_NO;
  {
    const std::lock_guard lock(mutex);
    ++counts[{name, response.status}];
  }
  return ::MHD_queue_response(connection, static_cast<unsigned>(response.status), raw);
}

MHD_Result Server::State::on_request(MHD_Connection* connection, std::string_view url,
                                     std::string_view method) {
  const auto route = std::find_if(routes.begin(), routes.end(),
                                  [&](const Route& known) { return known.path == url; });
  if (route == routes.end())
    return send(connection, text_response(MHD_HTTP_NOT_FOUND, "404 not found\n"), "other");
  if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD)
    return send(connection,
                text_response(MHD_HTTP_METHOD_NOT_ALLOWED, "405 only GET and HEAD are served\n"),
                route->name);
  return send(connection, route->handle(), route->name);
}

// libmicrohttpd calls this once with the headers, once for each piece of the body, once at the end.
// NOLINTNEXTLINE(readability-function-size): the library says what its callback is given.
MHD_Result Server::State::on_access(void* closure, MHD_Connection* connection, const char* url,
                                    const char* method, const char* /*version*/,
                                    const char* /*upload*/, std::size_t* upload_size,
                                    void** request) {
  auto* state = static_cast<State*>(closure);
  try {
    if (*request == nullptr) {
      *request = closure;  // any mark that the headers have been seen
      if (!body_is_unwelcome(connection)) return MHD_YES;
      return state->send(connection,
                         text_response(MHD_HTTP_CONTENT_TOO_LARGE, "413 no body is read here\n"),
                         "other");
    }
    if (*upload_size > 0) {
      *upload_size = 0;
      return MHD_YES;
    }
    return state->on_request(connection, url, method);
  } catch (const std::exception&) {
    return MHD_NO;  // out of memory: the connection is closed, the server goes on
  }
}

bool Server::State::serve(UniqueFd socket, unsigned connections) {
  const std::array<MHD_OptionItem, 5> options{
      {{MHD_OPTION_LISTEN_SOCKET, socket.get(), nullptr},
       {MHD_OPTION_CONNECTION_LIMIT, static_cast<std::intptr_t>(connections), nullptr},
       {MHD_OPTION_CONNECTION_TIMEOUT, kIdleTimeoutSeconds, nullptr},
       {MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemory, nullptr},
       {MHD_OPTION_END, 0, nullptr}}};
  socket.release();  // the daemon closes it
  Daemon daemon(::MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, nullptr, nullptr,
                                   &on_access, this, MHD_OPTION_ARRAY, options.data(),
                                   MHD_OPTION_END));
  if (!daemon) return false;
  daemons.push_back(std::move(daemon));
  return true;
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const std::vector<Address>& addresses,
                                              std::vector<Route> routes) {
  std::vector<UniqueFd> sockets;
  for (const Address& address : addresses) {
    auto opened = listen_on(address);
    if (!opened) return Unexpected(opened.error());
    std::move(opened->begin(), opened->end(), std::back_inserter(sockets));
  }
  if (sockets.empty()) return Unexpected({Errc::invalid, "no address to listen on is given"});
  auto state = std::make_unique<State>();
  state->routes = std::move(routes);
  state->port = bound_port(sockets.front());
  const unsigned share = std::max(connection_limit() / static_cast<unsigned>(sockets.size()), 1U);
  for (UniqueFd& socket : sockets) {
    if (!state->serve(std::move(socket), share))
      return Unexpected({Errc::exhausted, "start the HTTP server: no thread or memory for it"});
  }
  return std::make_unique<Server>(std::move(state));
}

std::map<std::pair<std::string, int>, std::uint64_t> Server::request_counts() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counts;
}

std::uint16_t Server::port() const { return state_->port; }

}  // namespace storage_probe::http
