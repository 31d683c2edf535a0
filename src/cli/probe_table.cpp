// SPDX-License-Identifier: Apache-2.0
#include "cli/probe_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <vector>

#include "model/percentile.h"

namespace storage_probe::cli {
namespace {

constexpr double kKnown = 0.5;  // half of the mean's interval, of the mean
constexpr std::size_t kProgressBar = 24;
constexpr std::size_t kCourse = 24;

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? " " + text : std::string(width - text.size(), ' ') + text;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return human_count(static_cast<double>(count)) + " " + noun + (count == 1 ? "" : "s");
}

std::string workload(const ProbeSpec& spec) {
  std::string text = to_text(spec.block_size) + " " + std::string(to_text(spec.pattern));
  if (spec.read_percent == 100) {
    text += " reads";
  } else if (spec.read_percent == 0) {
    text += " writes";
  } else {
    text += ", " + std::to_string(spec.read_percent) + " % reads";
  }
  if (spec.kind == Kind::latency) return text + ", " + human_count(spec.rate) + " a second";
  text += ", " + std::to_string(spec.queue_depth.value_or(1)) + " in flight";
  if (spec.fsync_every > 0) {
    text += ", fsync every " + std::to_string(spec.fsync_every) + " writes";
  }
  return text;
}

std::string where(const ProbeReport& report) {
  const MountIdentity& id = report.identity;
  std::string text = report.target.empty() ? "" : ": " + report.path;
  if (id.mountpoint.empty()) return text;  // a device of its own
  if (id.mountpoint != report.path) text += ", on " + id.mountpoint;
  text += " (" + id.fs_type;
  if (!id.source.empty()) text += ", " + id.source;
  return text + ")";
}

std::string_view ending(StopReason reason) {
  switch (reason) {
    case StopReason::time:
      return "limit of time";
    case StopReason::ios:
      return "limit of I/Os";
    case StopReason::bytes:
      return "limit of bytes";
    case StopReason::certain:
      return "certain by then";
    case StopReason::busy:
      return "others need the device";
  }
  return "";
}

std::string how(const ProbeReport& report) {
  return human_duration(report.measured.duration) + " measured (" +
         std::string(ending(report.measured.stopped_by)) + "), direct I/O by " +
         std::string(to_text(report.engine)) + ", file of " + human_bytes(report.file_bytes);
}

// The percentiles that at least one operation's sample carries.
std::vector<Percentile> carried_percentiles(const Measurement& measured) {
  std::uint64_t most = 0;
  for (const OperationStats& stats : measured.operations.values) {
    most = std::max(most, stats.latency.count());
  }
  std::vector<Percentile> carried;
  for (const Percentile& percentile : kPercentiles) {
    if (most >= percentile.min_samples) carried.push_back(percentile);
  }
  return carried;
}

std::string header_row(const std::vector<Percentile>& percentiles) {
  std::string row = "  op   " + right("IOPS", 6) + right("throughput", 11) + right("mean", 8);
  for (const Percentile& percentile : percentiles) {
    row += right("p" + std::string(percentile.name), 8);
  }
  return row + right("max", 8);
}

std::string operation_row(const Measurement& measured, Operation op,
                          const std::vector<Percentile>& percentiles) {
  const OperationStats& stats = measured.operations[op];
  const double seconds = to_seconds(measured.duration);
  const auto rate = [seconds](double amount) { return seconds > 0 ? amount / seconds : 0; };
  std::string row = "  " + std::string(to_text(op));
  row.resize(7, ' ');
  row += right(human_count(rate(static_cast<double>(stats.ios))), 6);
  row += right(
      op == Operation::fsync ? "-" : human_byte_rate(rate(static_cast<double>(stats.bytes.value))),
      11);
  row += right(human_duration(from_seconds(stats.latency.mean_seconds())), 8);
  for (const Percentile& percentile : percentiles) {
    const auto value = stats.latency.quantile(percentile.quantile);
    const bool carried = value && stats.latency.count() >= percentile.min_samples;
    row += right(carried ? human_duration(*value) : "-", 8);
  }
  return row + right(human_duration(stats.latency.max()), 8) + "\n";
}

std::string operations_table(const Measurement& measured, Style style) {
  const auto percentiles = carried_percentiles(measured);
  std::string text = painted(header_row(percentiles), Tone::strong, style) + "\n";
  for (const Operation op : kOperations) {
    if (measured.operations[op].ios > 0) text += operation_row(measured, op, percentiles);
  }
  return text;
}

std::string latencies(const ProbeReport& report, Style style) {
  std::string text;
  for (const Operation op : {Operation::read, Operation::write}) {
    const LatencyHistogram& latency = report.measured.operations[op].latency;
    if (latency.count() == 0) continue;
    text += "\n  latency of " + counted(latency.count(), std::string(to_text(op)));
    text += report.spec.kind == Kind::latency ? ", each from the moment it was due\n" : "\n";
    text += latency_bars(latency, style);
  }
  return text;
}

std::string rate_course(const RateProfile& profile, Style style) {
  const auto [least, most] = std::minmax_element(profile.rates.begin(), profile.rates.end());
  std::string text = "  rate    " + course(profile.rates, kCourse, style.glyphs) + "  ";
  text += human_count(*least) + " to " + human_count(*most) + " IOPS, ";
  text += profile.steady ? painted("steady", Tone::good, style)
                         : painted("not steady", Tone::warning, style);
  std::array<char, 40> error{};
  std::snprintf(error.data(), error.size(), ", mean +- %.1f %%", profile.mean_error * 100);
  // Wider than that it says that nothing is known, in figures that nobody believes.
  text += profile.mean_error > kKnown ? std::string(", mean unknown") : std::string(error.data());
  text += "\n";
  if (profile.drop) {
    text += painted("  fell", Tone::warning, style) + "    from " +
            human_count(profile.drop->head_iops) + " to " + human_count(profile.drop->tail_iops) +
            " IOPS, " + human_duration(profile.drop->head) + " after the warm-up\n";
  }
  return text;
}

// How hard the program and the queue worked for it.
std::string effort(const ProbeReport& report) {
  const Measurement& measured = report.measured;
  std::uint64_t ios = 0;
  for (const OperationStats& stats : measured.operations.values) ios += stats.ios;
  if (ios == 0) return "";
  const Duration cpu = (measured.cpu_user + measured.cpu_system) / static_cast<std::int64_t>(ios);
  std::string text = "  effort  " + human_duration(cpu) + " of CPU an I/O";
  if (report.spec.kind == Kind::capacity) {
    // I/Os that were under way when the window began count with all of their time.
    const unsigned depth = report.spec.queue_depth.value_or(1);
    const double in_flight = std::min<double>(depth_in_use(report.spec, measured), depth);
    text += ", " + human_count(in_flight) + " of " + std::to_string(depth) + " in flight";
  }
  if (measured.rings > 1) text += ", " + std::to_string(measured.rings) + " rings";
  return text + "\n";
}

std::string verified(const Verification& found, Style style) {
  const std::string blocks = "  check   " + counted(found.blocks, "block") + " read back, ";
  if (found.torn == 0 && found.stale == 0) {
    return blocks + painted("all as written", Tone::good, style) + "\n";
  }
  const std::string faults =
      std::to_string(found.torn) + " torn, " + std::to_string(found.stale) + " stale";
  return blocks + painted(faults, Tone::bad, style) + "\n";
}

std::string spent(const ProbeReport& report) {
  const Usage used = report.used();
  std::string text = "  used    " + human_duration(used.time) + ", " +
                     counted(used.ops.value, "I/O") + ", " + human_bytes(used.bytes);
  if (report.device) {
    text += "; others on " + report.device->name + ": " + human_count(report.device->other_iops) +
            " IOPS";
  }
  return text + "\n";
}

std::string_view sentence(Doubt doubt) {
  switch (doubt) {
    case Doubt::clock_suspect:
      return "the clock stepped or stood still while it ran";
    case Doubt::cache_suspect:
      return "a cache or holes answered, not the device";
    case Doubt::too_few_samples:
      return "not enough I/Os to tell a rate from chance";
    case Doubt::contended:
      return "others needed the device, so it ended early";
    case Doubt::cgroup_limited:
      return "a limit on its own control group is below the promise";
    case Doubt::cpu_limited:
      return "the processor was the limit, not the volume";
    case Doubt::queue_depth_limited:
      return "too few I/Os were in flight: it may do more";
    case Doubt::init_suspect:
      return "blocks read for the first time came slower: the volume is not initialised";
    case Doubt::unsteady:
      return "the rate changed while it was measured";
  }
  return "";
}

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::compliant:
      return Tone::good;
    case Verdict::noncompliant:
      return Tone::bad;
    case Verdict::inconclusive:
      return Tone::warning;
  }
  return Tone::warning;
}

// Lines that begin below the values of the others.
std::string paragraph(const std::string& text) {
  constexpr std::size_t kIndent = 10;
  constexpr std::size_t kWidth = 70;
  std::string lines;
  std::size_t length = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool fits = length > 0 && length + 1 + word.size() <= kWidth;
    lines += fits ? " " : (lines.empty() ? "" : "\n") + std::string(kIndent, ' ');
    length = fits ? length + 1 + word.size() : word.size();
    lines += word;
  }
  return lines + "\n";
}

std::string verdict(const Judgement& judgement, Style style) {
  const std::string word(to_text(judgement.verdict));
  return "  verdict " + painted(word, tone_of(judgement.verdict), style) + ", " +
         std::string(to_text(judgement.reason)) + "\n" + paragraph(judgement.detail);
}

std::string subject(const ProbeReport& report) {
  return report.spec.name + " of " + (report.target.empty() ? report.path : report.target);
}

}  // namespace

std::string probe_table(const ProbeReport& report, const std::optional<Judgement>& judgement,
                        Style style) {
  const Measurement& measured = report.measured;
  std::string text = painted(subject(report), Tone::strong, style) + where(report) + "\n";
  text += "  " + workload(report.spec) + "\n  " + how(report) + "\n\n";
  text += operations_table(measured, style) + latencies(report, style) + "\n";
  if (measured.profile && !measured.profile->rates.empty()) {
    text += rate_course(*measured.profile, style);
  }
  text += effort(report);
  if (measured.verification) text += verified(*measured.verification, style);
  text += spent(report);
  for (const Doubt doubt : report.doubts) {
    text += painted("  doubt", Tone::warning, style) + "   " + std::string(to_text(doubt)) + ": " +
            std::string(sentence(doubt)) + "\n";
  }
  if (!report.engine_note.empty()) text += "  note    " + report.engine_note + "\n";
  if (judgement) text += verdict(*judgement, style);
  return text;
}

std::string failure_line(const ProbeReport& report) {
  const Failure failure = report.failure.value_or(Failure{"worker_failed", "no reason given"});
  return subject(report) + " failed: " + failure.code + ": " + failure.message + "\n";
}

std::string progress_line(const std::string& probe, const Progress& progress) {
  const double done = std::clamp(progress.done, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(done * static_cast<double>(kProgressBar));
  const std::string bar = std::string(filled, '#') + std::string(kProgressBar - filled, '.');
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%.20s  %-9s [%s] %3.0f %%  %s", probe.c_str(),
                std::string(to_text(progress.phase)).c_str(), bar.c_str(), done * 100,
                progress.iops > 0 ? (human_count(progress.iops) + " IOPS").c_str() : "");
  return text.data();
}

}  // namespace storage_probe::cli
