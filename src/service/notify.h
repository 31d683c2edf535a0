// SPDX-License-Identifier: Apache-2.0
// What systemd is told about the service. Each call is a no-op when nobody listens (NOTIFY_SOCKET).
#pragma once

#include <string>

namespace storage_probe::service::notify {

void ready();
void reloading();
void stopping();
void status(const std::string& text);  // one line, shown by `systemctl status`

}  // namespace storage_probe::service::notify
