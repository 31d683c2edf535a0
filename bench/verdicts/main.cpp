// SPDX-License-Identifier: Apache-2.0
// Whether verdicts are right, where the truth is known: simulated volumes, real decisions.
// usage: verdict_bench [--short | --years FACTOR] [PART-OF-A-CASE'S-NAME]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "trial.h"

namespace storage_probe::verdicts {
namespace {

constexpr double kRecall = 0.99;
constexpr double kAlarmsPerYear = 0.01;
constexpr double kShort = 0.002;
constexpr std::uint64_t kSeed = 20'240'501;

struct Options {
  double factor = 1;
  std::string name;  // a part of it
};

const char* const kModel =
    "A run's spread is the standard deviation of what 2 s of a volume get, as a share of their "
    "mean; noise is\nGaussian, thrown back at 90 % of the promise where the volume is well, new "
    "for "
    "each run or (\"slow\") with a\nmemory of 10 minutes; the windows of a run scatter half as "
    "much. Cases without an aim are what the rule\ncannot or need not tell, shown for what it does "
    "there. wrong: verdicts whose reason is not the true one.\nalarms: confirmed drops of a volume "
    "that was well, per volume and year, and the most that this many\nyears leave possible (95 "
    "%).\n";

double share(const Tally& tally, Verdict verdict) {
  std::uint64_t all = 0;
  std::uint64_t some = 0;
  for (const auto& [key, count] : tally.verdicts) {
    all += count;
    if (key.first == verdict) some += count;
  }
  return all == 0 ? 0 : 100 * static_cast<double>(some) / static_cast<double>(all);
}

// Each volume lives for a year at most: the time after a start, with few runs known, counts too.
Tally try_case(const Case& of, double factor) {
  Tally sum;
  const double least = of.nature.load != Load::none ? 0.006 : of.every.count() > 60 ? 0.1 : 0.02;
  double left = std::max(of.years * factor, least);
  for (std::uint64_t volume = 0; left > 1e-9; ++volume) {
    const double years = std::min(left, 1.0);
    sum += try_one(of, years, kSeed + volume);
    left -= years;
  }
  return sum;
}

bool meets(const Case& of, const Tally& tally) {
  if (of.must_find && (tally.illnesses == 0 || tally.recall() < kRecall)) return false;
  if (of.must_not_alarm && tally.alarms_per_year() > kAlarmsPerYear) return false;
  return tally.wrong == 0 || !(of.must_find || of.must_not_alarm);
}

void print(const Case& of, const Tally& tally) {
  const bool has_aim = of.must_find || of.must_not_alarm;
  std::printf("%-36s %7.2f %8llu %6.1f %6.1f %6.1f %6llu ", of.name.c_str(), tally.years,
              static_cast<unsigned long long>(tally.runs), share(tally, Verdict::compliant),
              share(tally, Verdict::noncompliant), share(tally, Verdict::inconclusive),
              static_cast<unsigned long long>(tally.wrong));
  if (tally.illnesses > 0) {
    const double found = static_cast<double>(std::max<std::uint64_t>(tally.found, 1));
    std::printf("%6llu %7.4f %6.2f ", static_cast<unsigned long long>(tally.illnesses),
                tally.recall(), static_cast<double>(tally.runs_to_find) / found);
  } else {
    std::printf("%6s %7s %6s ", "-", "-", "-");
  }
  std::printf("%7.4f %7.4f %7.4f  %s\n", tally.precision(), tally.alarms_per_year(),
              tally.most_alarms_per_year(),
              !has_aim           ? "shown"
              : meets(of, tally) ? "met"
                                 : "MISSED");
  for (const auto& [fault, count] : tally.faults)
    std::printf("    %llu times %s\n", static_cast<unsigned long long>(count), fault.c_str());
}

int try_all(const Options& options) {
  std::printf("%s\n%-36s %7s %8s %6s %6s %6s %6s %6s %7s %6s %7s %7s %7s\n", kModel, "case",
              "years", "runs", "compl%", "non%", "inc%", "wrong", "drops", "recall", "after",
              "precis.", "alarms", "at most");
  int missed = 0;
  for (const Case& each : all_cases()) {
    if (each.name.find(options.name) == std::string::npos) continue;
    const Tally tally = try_case(each, options.factor);
    print(each, tally);
    std::fflush(stdout);
    if (!meets(each, tally)) ++missed;
  }
  std::printf(
      "recall: confirmed within 3 runs, aim %.2f; after: runs until then; alarms: aim %.2f\n",
      kRecall, kAlarmsPerYear);
  std::printf("%d missed\n", missed);
  return missed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace storage_probe::verdicts

int main(int count, char** arguments) {
  storage_probe::verdicts::Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--short") {
      options.factor = storage_probe::verdicts::kShort;
    } else if (word == "--years" && i + 1 < count) {
      options.factor = std::atof(arguments[++i]);
    } else {
      options.name = word;
    }
  }
  return storage_probe::verdicts::try_all(options);
}
