// SPDX-License-Identifier: Apache-2.0
#include "http/listen.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

namespace storage_probe::http {
namespace {

constexpr int kBacklog = 1024;

std::string cure_of(int errno_value) {
  constexpr const char* kOther = "choose another with --web.listen-address";
  switch (errno_value) {
    case EADDRINUSE:
      return std::string(": another program has the port; ") + kOther;
    case EADDRNOTAVAIL:
      return std::string(": this host has no such address; ") + kOther;
    case EACCES:
      return std::string(": ports below 1024 take CAP_NET_BIND_SERVICE; ") + kOther;
  }
  return {};
}

Error listen_error(int errno_value) {
  Error error = system_error(errno_value);
  error.message += cure_of(errno_value);
  return error;
}

// Whether the address is of a kind that this host does not have: no reason to fail where a name
// stands for others too.
bool is_absent(int errno_value) {
  return errno_value == EAFNOSUPPORT || errno_value == EADDRNOTAVAIL;
}

struct Attempt {
  UniqueFd socket;
  int errno_value = 0;
};

Attempt listen_at(const sockaddr* address, socklen_t length, bool dual_stack) {
  UniqueFd fd(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return {UniqueFd(), errno};
  const int on = 1;
  const int only_v6 = dual_stack ? 0 : 1;
  // Without SO_REUSEADDR a restart would wait for the connections of the last process to expire.
  if (::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      (address->sa_family == AF_INET6 &&
       ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof only_v6) != 0) ||
      ::bind(fd.get(), address, length) != 0 || ::listen(fd.get(), kBacklog) != 0)
    return {UniqueFd(), errno};
  return {std::move(fd), 0};
}

Result<std::vector<UniqueFd>> listen_everywhere(std::uint16_t port) {
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_any;
  v6.sin6_port = htons(port);
  Attempt attempt = listen_at(reinterpret_cast<const sockaddr*>(&v6), sizeof v6, true);
  if (is_absent(attempt.errno_value)) {  // a kernel without IPv6
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    attempt = listen_at(reinterpret_cast<const sockaddr*>(&v4), sizeof v4, false);
  }
  if (!attempt.socket) return Unexpected(listen_error(attempt.errno_value));
  std::vector<UniqueFd> sockets;
  sockets.push_back(std::move(attempt.socket));
  return sockets;
}

Result<std::vector<UniqueFd>> listen_on_host(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  const int failure = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
  if (failure != 0) return Unexpected({Errc::not_found, ::gai_strerror(failure)});
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, &::freeaddrinfo);
  std::vector<UniqueFd> sockets;
  int absent = EADDRNOTAVAIL;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    Attempt attempt = listen_at(one->ai_addr, one->ai_addrlen, false);
    if (attempt.socket)
      sockets.push_back(std::move(attempt.socket));
    else if (is_absent(attempt.errno_value))
      absent = attempt.errno_value;
    else
      return Unexpected(listen_error(attempt.errno_value));
  }
  if (sockets.empty()) return Unexpected(listen_error(absent));
  return sockets;
}

}  // namespace

std::string to_text(const Address& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

Result<Address> parse_address(std::string_view text) {
  const auto refuse = [&](const std::string& reason) {
    return Unexpected({Errc::invalid, "address \"" + std::string(text) + "\": " + reason});
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.find('\0') != std::string_view::npos)
    return refuse("write HOST:PORT or :PORT, such as :10067 or 127.0.0.1:10067");
  const std::string_view port = text.substr(colon + 1);
  std::string_view host = text.substr(0, colon);
  Address address;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size())
    return refuse("the port is a number from 0 to 65535");
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find_first_of(":[]") != std::string_view::npos)
    return refuse("write an IPv6 address in brackets, such as [::1]:10067");
  address.host = host;
  return address;
}

Result<std::vector<UniqueFd>> listen_on(const Address& address) {
  auto sockets = address.host.empty() ? listen_everywhere(address.port) : listen_on_host(address);
  if (!sockets) return Unexpected(sockets.error().in("listen on " + to_text(address)));
  return sockets;
}

std::uint16_t bound_port(const UniqueFd& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  if (address.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    return ntohs(v6.sin6_port);
  }
  sockaddr_in v4{};
  std::memcpy(&v4, &address, sizeof v4);
  return ntohs(v4.sin_port);
}

}  // namespace storage_probe::http
