// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace storage_probe::cli {
namespace {

constexpr std::size_t kNameColumns = 13;
constexpr double kMostBytes = 1e18;  // far more than a volume earns

std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : " " + text;
}

std::string left(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text + " ";
}

std::string percent(const std::optional<double>& ratio) {
  if (!ratio) return "n/a";
  if (!std::isfinite(*ratio)) return "-";
  std::array<char, 32> text{};
  if (*ratio > 0 && *ratio < 0.001) return "<0.1 %";
  std::snprintf(text.data(), text.size(), *ratio < 0.0995 ? "%.2g %%" : "%.0f %%", *ratio * 100);
  return text.data();
}

std::string count(double value) {
  return human_count(value < 1000 ? std::floor(value * 10) / 10 : value);
}

std::string volume(Bytes bytes) { return bytes.value == 0 ? "-" : human_bytes(bytes); }

// One row; the first three columns are the caller's.
std::string row(const std::string& head, const Usage& usage, Bytes written,
                const std::string& rest) {
  return head + right(count(static_cast<double>(usage.ops.value)), 8) +
         right(volume(usage.bytes), 9) + right(volume(written), 9) + rest + "\n";
}

std::string runs(const ProbeCost& cost) {
  const std::string paid = count(cost.paid_runs);
  return cost.paid_runs < cost.runs ? paid + " of " + count(cost.runs) : paid;
}

std::string probe_row(const ProbeCost& cost) {
  return row(
      "  " + left(cost.probe, kNameColumns) + right(to_text(cost.every), 5) + right(runs(cost), 10),
      cost.day, cost.written,
      right(percent(cost.promise_share), 8) +
          right(cost.added_latency ? human_duration(*cost.added_latency) : "n/a", 8) +
          right(percent(cost.allowance_share), 7));
}

Usage times(const Usage& usage, unsigned days) {
  return {usage.time * days, Bytes{usage.bytes.value * days}, Ops{usage.ops.value * days}};
}

std::string totals(const Usage& day, Bytes written, const std::string& shares) {
  constexpr std::size_t kHead = 2 + kNameColumns + 5 + 10;
  return row(left("  a day", kHead), day, written, shares) +
         row(left("  a month of 30 days", kHead), times(day, kDaysOfMonth),
             Bytes{written.value * kDaysOfMonth}, "");
}

std::string shortage(const ProbeCost& cost) {
  if (cost.paid_runs >= cost.runs) return {};
  return "  " + cost.probe + ": the budget allows " + count(cost.paid_runs) + " of " +
         count(cost.runs) +
         " runs a day;\n  raise every or the budget, or lower the probe's limits\n";
}

std::string allowance(const TargetCost& cost) {
  std::string text = human_count(static_cast<double>(cost.allowance.ops.value)) + " I/Os, " +
                     human_bytes(cost.allowance.bytes);
  if (cost.allowance.time > Duration{})
    text += ", " + human_duration(cost.allowance.time) + " of capacity probes";
  return text;
}

// Breaks between words, so that no line is longer than a terminal is wide.
std::string wrapped(const std::string& sentence) {
  constexpr std::size_t kColumns = 78;
  std::string text;
  std::string line = "  ";
  std::size_t at = 0;
  while (at < sentence.size()) {
    const std::size_t end = std::min(sentence.find(' ', at), sentence.size());
    const std::string word = sentence.substr(at, end - at);
    if (line.size() > 4 && line.size() + word.size() > kColumns) {
      text += line.substr(0, line.size() - 1) + "\n";
      line = "    ";
    }
    line += word + " ";
    at = end + 1;
  }
  return text + line.substr(0, line.size() - 1) + "\n";
}

std::string dollars(double amount) {
  if (amount > 0 && amount < 0.01) return "less than $0.01";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "$%.2f", amount);
  return text.data();
}

std::string bill(const TypeCost& cost) {
  const Bill& bill = *cost.bill;
  return wrapped(cost.type + " bills I/O: " + dollars(bill.day) + " a day, " +
                 dollars(bill.day * kDaysOfMonth) + " a month, " + dollars(bill.once) +
                 " once; at prices of " + bill.as_of + " in " + bill.region +
                 (bill.confirmed ? " (" : ", which are not confirmed (") + bill.source + ")");
}

std::string credits(const TypeCost& cost) {
  std::string text;
  for (const CreditUse& use : cost.credits) {
    const std::string amount =
        use.unit == Bucket::Unit::ios
            ? human_count(use.day) + " I/O credits"
            : human_bytes(Bytes{static_cast<std::uint64_t>(std::min(use.day, kMostBytes))}) +
                  " of throughput credits";
    text += wrapped(cost.type + " bursts on credits: up to " + amount + " a day, " +
                    percent(use.earned_share) + " of what it earns");
  }
  return text;
}

std::string type_lines(const TypeCost& cost) {
  std::string text = credits(cost);
  if (cost.bill) text += bill(cost);
  for (const std::string& warning : cost.warnings) text += wrapped(warning);
  return text;
}

std::string target_table(const TargetCost& cost, Style style) {
  const std::string header = "  " + left("probe", kNameColumns) + right("every", 5) +
                             right("runs/day", 10) + right("I/Os", 8) + right("bytes", 9) +
                             right("written", 9) + right("promise", 8) + right("adds", 8) +
                             right("budget", 7);
  std::string text = painted(cost.target, Tone::strong, style) + ": may use " + allowance(cost) +
                     " a day\n" + painted(header, Tone::strong, style) + "\n";
  for (const ProbeCost& probe : cost.probes) text += probe_row(probe);
  text += totals(cost.day, cost.written,
                 right(percent(cost.promise_share), 8) + right("", 8) +
                     right(percent(cost.allowance_share), 7));
  if (cost.layout.bytes.value > 0)
    text += "  once: up to " + human_bytes(cost.layout.bytes) + " written for the probe file\n";
  for (const ProbeCost& probe : cost.probes) text += shortage(probe);
  return text + type_lines(cost.by_type) + "\n";
}

}  // namespace

std::string plan_table(const PlanCost& cost, Style style) {
  if (cost.targets.empty()) return "No targets are configured: nothing is probed.\n";
  std::string text;
  for (const TargetCost& target : cost.targets) text += target_table(target, style);
  if (cost.targets.size() > 1) {
    text += painted("all targets", Tone::strong, style) + "\n" + totals(cost.day, cost.written, "");
    text += "  once: up to " + human_bytes(cost.layout.bytes) + " written for probe files\n\n";
  }
  return text +
         "These are upper limits: each run counts with all that its limits allow, and most\n"
         "end earlier. promise: share of what the volume owes in a day; adds: how long an\n"
         "I/O of others may wait behind a probe; budget: share of the day's allowance.\n";
}

}  // namespace storage_probe::cli
