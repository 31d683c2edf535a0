// SPDX-License-Identifier: Apache-2.0
#include "service/notify.h"

#include <systemd/sd-daemon.h>

#include <cstdint>
#include <ctime>

namespace storage_probe::service::notify {
namespace {

// A service manager that cannot be reached changes nothing for the service: results are ignored.
void send(const std::string& state) { static_cast<void>(sd_notify(0, state.c_str())); }

}  // namespace

void ready() { send("READY=1"); }

void reloading() {
  // MONOTONIC_USEC is what systemd 253 and later ask for with RELOADING; older ones ignore it.
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto usec = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(usec));
}

void stopping() { send("STOPPING=1"); }

void status(const std::string& text) { send("STATUS=" + text); }

}  // namespace storage_probe::service::notify
