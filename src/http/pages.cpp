// SPDX-License-Identifier: Apache-2.0
#include "http/pages.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/version.h"
#include "http/style.h"

namespace storage_probe::http {
namespace {

constexpr const char* kNothing = "<i>–</i>";

std::string plural(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// "3 min": one unit is enough for an age.
std::string span(Duration duration) {
  struct Unit {
    const char* name;
    Duration length;
  };
  constexpr std::array<Unit, 4> kUnits{{{" d", std::chrono::hours{24}},
                                        {" h", std::chrono::hours{1}},
                                        {" min", std::chrono::minutes{1}},
                                        {" s", std::chrono::seconds{1}}}};
  for (const Unit& unit : kUnits)
    if (duration >= 2 * unit.length || unit.length == std::chrono::seconds{1})
      return std::to_string(std::max(duration, Duration{}) / unit.length) + unit.name;
  return {};
}

// The pill's class. What waits for something is neither good nor bad.
std::string_view class_of(TargetState state) {
  switch (state) {
    case TargetState::ready:
      return "s ok";
    case TargetState::unknown:
    case TargetState::preparing:
      return "s";
    case TargetState::not_mounted:
    case TargetState::wrong_mount:
    case TargetState::not_a_disk:
    case TargetState::direct_io_rejected:
    case TargetState::permission_denied:
    case TargetState::read_only:
    case TargetState::no_space:
    case TargetState::data_directory:
    case TargetState::file_conflict:
    case TargetState::io_error:
    case TargetState::namespace_mismatch:
    case TargetState::stuck:
      return "s bad";
  }
  return "s";
}

std::string pill(std::string_view css_class, std::string_view text) {
  return "<span class=\"" + std::string(css_class) + "\">" + escape_html(text) + "</span>";
}

std::string cell(const char* label, const std::string& html) {
  return "<td data-l=\"" + std::string(label) + "\"><span>" + html + "</span></td>";
}

// One line for reads and writes, as the result has them, named where it has both.
template <typename Text>
std::string per_operation(const RunResult* result, Text text) {
  if (result == nullptr) return kNothing;
  std::vector<Operation> present;
  for (const Operation op : {Operation::read, Operation::write})
    if (result->operations[op]) present.push_back(op);
  std::string html;
  for (const Operation op : present) {
    if (!html.empty()) html += "<br>";
    if (present.size() > 1) html += "<i>" + std::string(to_text(op)) + "</i> ";
    html += text(*result->operations[op]);
  }
  return html.empty() ? kNothing : html;
}

std::string percentile(const OperationResult& result, std::string_view wanted) {
  for (const auto& [name, latency] : result.percentiles)
    if (name == wanted) return human_duration(latency);
  return kNothing;
}

std::string last_run(const ProbeStatus& probe, WallTime now) {
  if (!probe.last_run) return kNothing;
  const std::string age = span(now - *probe.last_run) + " ago";
  return probe.last_succeeded.value_or(true) ? age : pill("s bad", "failed") + " " + age;
}

std::string next_run(const ProbeStatus& probe, WallTime now) {
  if (!probe.next_run) return kNothing;
  return *probe.next_run <= now ? "due" : "in " + span(*probe.next_run - now);
}

std::string doubts(const RunResult* result) {
  std::string html;
  if (result == nullptr) return html;
  for (const Doubt doubt : result->doubts) html += " " + pill("s", to_text(doubt));
  return html;
}

std::string probe_row(const ProbeStatus& probe, WallTime now) {
  const RunResult* result = probe.result ? &*probe.result : nullptr;
  std::string html = "<tr><td>" + escape_html(probe.spec.name) + doubts(result) + "</td>";
  html += cell("IOPS", per_operation(result, [](const OperationResult& operation) {
                 return human_count(operation.iops);
               }));
  html += cell("throughput", per_operation(result, [](const OperationResult& operation) {
                 return operation.throughput > 0 ? human_byte_rate(operation.throughput) : kNothing;
               }));
  for (const auto& [label, name] : {std::pair{"p50", "50"}, std::pair{"p99", "99"}})
    html += cell(label, per_operation(result, [name = name](const OperationResult& operation) {
                   return percentile(operation, name);
                 }));
  html += cell("last run", last_run(probe, now)) + cell("next run", next_run(probe, now));
  return html + "</tr>\n";
}

std::string probe_table(const TargetStatus& target, WallTime now) {
  if (target.probes.empty()) return {};
  std::string html =
      "<table><thead><tr><th>probe<th>IOPS<th>throughput<th>p50<th>p99<th>last run<th>next run"
      "</tr></thead><tbody>\n";
  for (const ProbeStatus& probe : target.probes) html += probe_row(probe, now);
  return html + "</tbody></table>\n";
}

std::string share(std::string_view noun, double used, double limit, const std::string& text) {
  if (limit <= 0) return {};
  // Two decimals are what 80 pixels can show.
  const auto percent = static_cast<int>(std::clamp(used / limit, 0.0, 1.0) * 100);
  return "<span>" + text + R"( <progress max="100" value=")" + std::to_string(percent) +
         R"(" aria-label=")" + std::string(noun) + " used\"></progress></span>";
}

std::string budget(const TargetStatus& target) {
  const Usage& used = target.budget_used;
  const Usage& limit = target.budget_limit;
  const auto ratio_of = [](std::uint64_t value) { return static_cast<double>(value); };
  const std::string shares = share("bytes", ratio_of(used.bytes.value), ratio_of(limit.bytes.value),
                                   human_bytes(used.bytes) + " of " + human_bytes(limit.bytes)) +
                             share("I/Os", ratio_of(used.ops.value), ratio_of(limit.ops.value),
                                   human_count(ratio_of(used.ops.value)) + " of " +
                                       human_count(ratio_of(limit.ops.value)) + " I/Os") +
                             share("time", to_seconds(used.time), to_seconds(limit.time),
                                   human_duration(used.time) + " of " + human_duration(limit.time));
  if (shares.empty()) return {};
  return "<p class=\"u\"><span>budget used in 24 h</span>" + shares + "</p>\n";
}

// "mounted at / · ext4 · nvme1n1": what is known of it.
std::string origin(const TargetStatus& target) {
  const MountIdentity& identity = target.identity;
  std::string html = "<code>" + escape_html(target.path) + "</code>";
  const auto append = [&](const std::string& text) {
    if (!text.empty()) html += " · " + escape_html(text);
  };
  if (!identity.mountpoint.empty() && identity.mountpoint != target.path)
    append("on " + identity.mountpoint);
  append(identity.fs_type);
  append(identity.device.empty() ? identity.source : identity.device);
  append(identity.volume_id);
  append(identity.volume_type);
  if (target.promise.iops) append("promised " + human_count(*target.promise.iops) + " IOPS");
  if (target.promise.throughput) append("promised " + human_byte_rate(*target.promise.throughput));
  return html;
}

std::string target_section(const TargetStatus& target, WallTime now) {
  std::string html = "<section><h2>" + escape_html(target.name) + " " +
                     pill(class_of(target.state), to_text(target.state));
  if (target.stuck_since)
    html += pill("s bad", "not answering for " + span(now - *target.stuck_since));
  if (target.held) html += pill("s", "held");
  html += "</h2>\n<p class=\"dim\">" + origin(target) + "</p>\n";
  if (target.held) html += "<p class=\"m\">held " + escape_html(*target.held) + "</p>\n";
  if (!target.message.empty()) html += "<p class=\"m\">" + escape_html(target.message) + "</p>\n";
  return html + probe_table(target, now) + budget(target) + "</section>\n";
}

std::string summary(const Snapshot& snapshot) {
  const auto& targets = snapshot.targets;
  const auto ready = std::count_if(targets.begin(), targets.end(), [](const TargetStatus& target) {
    return target.state == TargetState::ready;
  });
  std::string html = "<p>";
  if (!snapshot.ready) html += pill("s", "starting") + " ";
  if (targets.empty()) return html + "No targets are configured.</p>\n";
  html += plural(targets.size(), "target") + ", " + std::to_string(ready) + " ready";
  if (snapshot.exporter.workers_running > 0)
    html += ", " + plural(snapshot.exporter.workers_running, "probe") + " running";
  if (snapshot.exporter.workers_stuck > 0)
    html += ", " + std::to_string(snapshot.exporter.workers_stuck) + " stuck";
  html += ".";
  if (!snapshot.exporter.last_reload_succeeded)
    html += " " + pill("s bad", "the last reload failed: the configuration before it is in force");
  return html + "</p>\n";
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      case '\0':  // not allowed in a document in any form
        escaped += "\xef\xbf\xbd";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string page_security_policy() {
  return "default-src 'none'; style-src '" + std::string(kStyleHash) +
         "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

std::string landing_page(const Snapshot& snapshot, const std::string& metrics_path, WallTime now) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>storage_probe_exporter</title><style>";
  html += kStyle;
  html += "</style></head>\n<body><header><h1>storage_probe_exporter <small>" +
          escape_html(version()) + "</small></h1><nav><a href=\"" + escape_html(metrics_path) +
          "\">metrics</a><a href=\"/-/healthy\">healthy</a><a href=\"/-/ready\">ready</a></nav>"
          "</header>\n<main>\n";
  html += summary(snapshot);
  for (const TargetStatus& target : snapshot.targets) html += target_section(target, now);
  return html + "</main></body></html>\n";
}

}  // namespace storage_probe::http
