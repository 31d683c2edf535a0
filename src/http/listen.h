// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace storage_probe::http {

// One address to listen on, parsed from "HOST:PORT" with an optional host: ":10067",
// "127.0.0.1:10067", "[::1]:10067", "localhost:10067". An empty host is every address, IPv6 and
// IPv4.
struct Address {
  std::string host;
  std::uint16_t port = 0;
};
Result<Address> parse_address(std::string_view text);
std::string to_text(const Address& address);

// Sockets that listen on the address: one for each numeric address that the host stands for. A name
// is looked up, which may block: for the start, not for the event loop. The error names the
// address, the reason and the cure.
Result<std::vector<UniqueFd>> listen_on(const Address& address);

// The port that a listening socket is bound to; 0 when it is none.
std::uint16_t bound_port(const UniqueFd& socket);

}  // namespace storage_probe::http
