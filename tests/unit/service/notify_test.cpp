// SPDX-License-Identifier: Apache-2.0
#include "service/notify.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/unique_fd.h"

namespace storage_probe::service {
namespace {

// Stands where systemd's socket does: abstract, so that no file is left behind.
class NotifySocket {
 public:
  NotifySocket() : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "storage-probe-notify-test-" + std::to_string(getpid());
    std::copy(name.begin(), name.end(), address.sun_path + 1);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
    setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
  }
  ~NotifySocket() { unsetenv("NOTIFY_SOCKET"); }

  std::string receive() {
    std::array<char, 512> text{};
    const ssize_t length = ::recv(fd_.get(), text.data(), text.size(), MSG_DONTWAIT);
    return length < 0 ? "nothing" : std::string(text.data(), static_cast<std::size_t>(length));
  }

 private:
  UniqueFd fd_;
};

TEST(Notify, ReadyAndStoppingAreSystemdsWords) {
  NotifySocket socket;
  notify::ready();
  EXPECT_EQ(socket.receive(), "READY=1");
  notify::stopping();
  EXPECT_EQ(socket.receive(), "STOPPING=1");
  notify::status("3 targets");
  EXPECT_EQ(socket.receive(), "STATUS=3 targets");
}

TEST(Notify, ReloadingCarriesItsTime) {
  NotifySocket socket;
  notify::reloading();
  EXPECT_EQ(socket.receive().rfind("RELOADING=1\nMONOTONIC_USEC=", 0), 0U);
}

TEST(Notify, WithoutAServiceManagerNothingHappens) {
  unsetenv("NOTIFY_SOCKET");
  notify::ready();
  SUCCEED();
}

}  // namespace
}  // namespace storage_probe::service
