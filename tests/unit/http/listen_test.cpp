// SPDX-License-Identifier: Apache-2.0
#include "http/listen.h"

#include <gtest/gtest.h>

namespace storage_probe::http {
namespace {

TEST(ParseAddress, TakesAHostAndAPort) {
  struct Case {
    const char* text;
    const char* host;
    std::uint16_t port;
  };
  for (const Case& c : {Case{":10067", "", 10067}, Case{"127.0.0.1:0", "127.0.0.1", 0},
                        Case{"[::1]:10067", "::1", 10067}, Case{"localhost:80", "localhost", 80},
                        Case{"[::]:65535", "::", 65535}}) {
    const auto address = parse_address(c.text);
    ASSERT_TRUE(address) << c.text;
    EXPECT_EQ(address->host, c.host);
    EXPECT_EQ(address->port, c.port);
    EXPECT_EQ(to_text(*address), c.text);
  }
}

TEST(ParseAddress, SaysWhatToWriteInstead) {
  const std::string port = "the port is a number from 0 to 65535";
  const std::string brackets = "write an IPv6 address in brackets, such as [::1]:10067";
  const std::string form = "write HOST:PORT or :PORT, such as :10067 or 127.0.0.1:10067";
  using namespace std::string_literals;
  for (const auto& [text, reason] :
       {std::pair{""s, form}, std::pair{"10067"s, form}, std::pair{"localhost"s, form},
        std::pair{"a\0b:1"s, form}, std::pair{":"s, port}, std::pair{":65536"s, port},
        std::pair{":-1"s, port}, std::pair{":80x"s, port}, std::pair{": 80"s, port},
        std::pair{"::1:80"s, brackets}, std::pair{"[::1:80"s, brackets},
        std::pair{"[]:80"s, brackets}}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().message, "address \"" + text + "\": " + reason);
    EXPECT_EQ(address.error().code, Errc::invalid);
  }
}

TEST(ListenOn, GivesASocketWithAPort) {
  const auto sockets = listen_on({"127.0.0.1", 0});
  ASSERT_TRUE(sockets) << sockets.error().message;
  ASSERT_EQ(sockets->size(), 1U);
  EXPECT_NE(bound_port(sockets->front()), 0);
}

TEST(ListenOn, ServesEveryAddressForAnEmptyHost) {
  const auto sockets = listen_on({"", 0});
  ASSERT_TRUE(sockets) << sockets.error().message;
  const auto port = bound_port(sockets->front());
  // The port is taken on IPv4 too: the socket is for both.
  EXPECT_FALSE(listen_on({"127.0.0.1", port}));
}

TEST(ListenOn, NamesABusyPortAndTheCure) {
  const auto first = listen_on({"127.0.0.1", 0});
  ASSERT_TRUE(first);
  const auto port = bound_port(first->front());
  const auto second = listen_on({"127.0.0.1", port});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::busy);
  EXPECT_EQ(second.error().message,
            "listen on 127.0.0.1:" + std::to_string(port) +
                ": Address already in use: another program has the port; choose another with "
                "--web.listen-address");
}

TEST(ListenOn, NamesAnAddressThatIsNotThisHosts) {
  const auto sockets = listen_on({"192.0.2.1", 10067});
  ASSERT_FALSE(sockets);
  EXPECT_EQ(sockets.error().message,
            "listen on 192.0.2.1:10067: Cannot assign requested address: this host has no such "
            "address; choose another with --web.listen-address");
}

TEST(ListenOn, NamesAHostThatDoesNotExist) {
  const auto sockets = listen_on({"no such host", 10067});
  ASSERT_FALSE(sockets);
  EXPECT_EQ(sockets.error().message.rfind("listen on no such host:10067: ", 0), 0U);
}

TEST(BoundPort, IsZeroOfWhatIsNoSocket) { EXPECT_EQ(bound_port(UniqueFd()), 0); }

}  // namespace
}  // namespace storage_probe::http
