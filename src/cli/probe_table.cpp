// SPDX-License-Identifier: Apache-2.0
#include "cli/probe_table.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "model/percentile.h"

namespace storage_probe::cli {
namespace {

constexpr std::size_t kBar = 24;

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? " " + text : std::string(width - text.size(), ' ') + text;
}

std::string workload(const ProbeSpec& spec) {
  std::string text = to_text(spec.block_size) + " " + std::string(to_text(spec.pattern)) + " ";
  if (spec.read_percent == 100) {
    text += "reads";
  } else if (spec.read_percent == 0) {
    text += "writes";
  } else {
    text += std::to_string(spec.read_percent) + " % reads, the rest writes";
  }
  if (spec.kind == Kind::latency) {
    return text + ", " + human_count(spec.rate) + " per second (latency from the intended start)";
  }
  return text + ", " + std::to_string(spec.queue_depth.value_or(1)) + " in flight";
}

std::string header_row() {
  std::string row = "  op    " + right("IOPS", 8) + right("throughput", 12) + right("mean", 8);
  for (const Percentile& percentile : kPercentiles) {
    row += right("p" + std::string(percentile.name), 8);
  }
  return row + right("max", 8) + "\n";
}

std::string operation_row(const ProbeReport& report, Operation op) {
  const OperationStats& stats = report.measured.operations[op];
  const double seconds = to_seconds(report.measured.duration);
  const auto rate = [seconds](double amount) { return seconds > 0 ? amount / seconds : 0; };
  std::string row = "  " + std::string(to_text(op));
  row.resize(8, ' ');
  row += right(human_count(rate(static_cast<double>(stats.ios))), 8);
  row += right(
      op == Operation::fsync ? "-" : human_byte_rate(rate(static_cast<double>(stats.bytes.value))),
      12);
  row += right(human_duration(from_seconds(stats.latency.mean_seconds())), 8);
  for (const Percentile& percentile : kPercentiles) {
    const auto value = stats.latency.quantile(percentile.quantile);
    const bool carried = value && stats.latency.count() >= percentile.min_samples;
    row += right(carried ? human_duration(*value) : "-", 8);
  }
  return row + right(human_duration(stats.latency.max()), 8) + "\n";
}

std::string where(const ProbeReport& report) {
  const MountIdentity& id = report.identity;
  std::string text = report.path + " is on " + id.mountpoint + " (" + id.fs_type;
  if (!id.source.empty()) text += ", " + id.source;
  return text + ")";
}

}  // namespace

std::string probe_table(const ProbeReport& report) {
  const Measurement& measured = report.measured;
  const std::string subject = report.target.empty() ? report.path : report.target;
  std::string text = report.spec.name + " of " + subject + ": " + workload(report.spec) + "\n";
  text += "  " + where(report) + "\n";
  text += "  " + human_duration(measured.duration) + " measured, direct I/O by " +
          std::string(to_text(report.engine)) + ", file of " + human_bytes(report.file_bytes) +
          "\n\n";
  text += header_row();
  for (const Operation op : kOperations) {
    if (measured.operations[op].ios > 0) text += operation_row(report, op);
  }
  const Usage used = report.used();
  text += "\n  used " + human_duration(used.time) + ", " +
          human_count(static_cast<double>(used.ops.value)) + " I/Os, " + human_bytes(used.bytes);
  if (report.device) {
    text += "; others on " + report.device->name +
            " meanwhile: " + human_count(report.device->other_iops) + " IOPS";
  }
  text += "\n";
  if (!report.engine_note.empty()) text += "  note: " + report.engine_note + "\n";
  return text;
}

std::string failure_line(const ProbeReport& report) {
  const std::string subject = report.target.empty() ? report.path : report.target;
  const Failure failure = report.failure.value_or(Failure{"worker_failed", "no reason given"});
  return report.spec.name + " of " + subject + " failed: " + failure.code + ": " + failure.message +
         "\n";
}

std::string progress_line(const std::string& probe, const Progress& progress) {
  const double done = std::clamp(progress.done, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(done * static_cast<double>(kBar));
  const std::string bar = std::string(filled, '#') + std::string(kBar - filled, '.');
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%.20s  %-9s [%s] %3.0f %%  %s", probe.c_str(),
                std::string(to_text(progress.phase)).c_str(), bar.c_str(), done * 100,
                progress.iops > 0 ? (human_count(progress.iops) + " IOPS").c_str() : "");
  return text.data();
}

}  // namespace storage_probe::cli
