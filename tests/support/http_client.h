// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace storage_probe::test {

// A connection to 127.0.0.1; empty when it is refused. Reads and writes give up after `patience`.
inline UniqueFd connect_to(std::uint16_t port,
                           std::chrono::milliseconds patience = std::chrono::seconds{5}) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const timeval timeout{patience.count() / 1000, patience.count() % 1000 * 1000};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  return fd;
}

inline void send_all(const UniqueFd& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Everything until the server closes.
inline std::string read_to_end(const UniqueFd& fd) {
  std::string text;
  char piece[16384];
  for (;;) {
    const ssize_t got = ::recv(fd.get(), piece, sizeof piece, 0);
    if (got <= 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

struct HttpAnswer {
  int status = 0;  // 0: no answer
  std::map<std::string, std::string> headers;
  std::string body;
};

inline HttpAnswer parse_answer(const std::string& text) {
  HttpAnswer answer;
  const std::size_t end = text.find("\r\n\r\n");
  if (text.rfind("HTTP/1.1 ", 0) != 0 || end == std::string::npos) return answer;
  answer.status = std::atoi(text.c_str() + 9);
  answer.body = text.substr(end + 4);
  for (std::size_t at = text.find("\r\n"); at < end;) {
    const std::size_t next = text.find("\r\n", at + 2);
    const std::string line = text.substr(at + 2, next - at - 2);
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) answer.headers[line.substr(0, colon)] = line.substr(colon + 2);
    at = next;
  }
  return answer;
}

// One request on a connection of its own; `headers` are whole lines.
inline HttpAnswer request(std::uint16_t port, const std::string& method, const std::string& target,
                          const std::string& headers = "", const std::string& body = "") {
  const UniqueFd fd = connect_to(port);
  send_all(fd, method + " " + target + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\n" +
                   headers + "\r\n" + body);
  return parse_answer(read_to_end(fd));
}

}  // namespace storage_probe::test
