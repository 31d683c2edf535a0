// SPDX-License-Identifier: Apache-2.0
#include "cli/fio_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace storage_probe::cli {
namespace {

// Options in the order in which they are printed.
class Line {
 public:
  void add(std::string_view name, const std::string& value) {
    text_ += " --" + std::string(name) + "=" + quoted(value);
  }
  void add(std::string_view name, std::uint64_t value) { add(name, std::to_string(value)); }
  void add_flag(std::string_view name) { text_ += " --" + std::string(name); }

  const std::string& text() const { return text_; }

 private:
  // For a POSIX shell; what needs no quotes gets none.
  static std::string quoted(const std::string& word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,./:@%";
    if (word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  }

  std::string text_ = "fio";
};

// How the I/Os in flight are divided over fio's jobs.
struct Jobs {
  std::uint64_t count = 1;
  std::uint64_t depth = 1;  // of each
};

Jobs jobs_of(const ProbeSpec& spec, Engine engine) {
  const std::uint64_t depth = spec.kind == Kind::latency ? 1 : spec.queue_depth.value_or(1);
  if (engine == Engine::threads) return {depth, 1};
  const std::uint64_t rings = std::clamp<std::uint64_t>(spec.rings.value_or(1), 1, depth);
  return {rings, (depth + rings - 1) / rings};
}

std::uint64_t whole_blocks(Bytes bytes, Bytes block) {
  return (bytes.value + block.value - 1) / block.value * block.value;
}

void add_file(Line& line, const ProbeSpec& spec, const FioFile& file) {
  std::string name;  // fio divides file names at colons
  for (const char c : file.path.string()) name += c == ':' ? std::string("\\:") : std::string(1, c);
  line.add("filename", name);
  if (const auto offset = whole_blocks(file.header, spec.block_size); offset > 0) {
    line.add("offset", offset);
  }
  if (file.size) line.add("size", file.size->value / spec.block_size.value * spec.block_size.value);
  if (file.life == FioFile::Life::existing) {
    line.add_flag("readonly");
  } else {
    line.add("unlink", 1);
    if (spec.writes()) line.add("overwrite", 1);
  }
}

void add_workload(Line& line, const ProbeSpec& spec) {
  const bool random = spec.pattern == Pattern::random;
  if (spec.read_percent == 100) {
    line.add("rw", random ? "randread" : "read");
  } else if (spec.read_percent == 0) {
    line.add("rw", random ? "randwrite" : "write");
  } else {
    line.add("rw", random ? "randrw" : "rw");
    line.add("rwmixread", spec.read_percent);
  }
  line.add("bs", spec.block_size.value);
  if (random) {
    line.add("randrepeat", 0);
    // Blocks are drawn with repetition; fio can verify only where it keeps a map of them.
    if (!spec.verify) line.add("norandommap", 1);
  }
  if (!spec.writes()) return;
  if (spec.fsync_every > 0) line.add("fdatasync", static_cast<std::uint64_t>(spec.fsync_every));
  line.add("end_fsync", 1);
  if (!spec.verify) return;
  line.add("verify", "crc32c");
  line.add("verify_state_save", 0);  // else fio leaves a file where it is called
}

void add_engine(Line& line, const ProbeSpec& spec, Engine engine, const FioFile& file) {
  const Jobs jobs = jobs_of(spec, engine);
  line.add("direct", 1);
  if (engine == Engine::threads) {
    line.add("ioengine", "psync");
  } else {
    line.add("ioengine", "io_uring");
    line.add("registerfiles", 1);
    line.add("fixedbufs", 1);
  }
  line.add("iodepth", jobs.depth);
  if (jobs.count == 1) return;
  line.add("thread", 1);
  line.add("numjobs", jobs.count);
  line.add("group_reporting", 1);
  // Else each job would read the same blocks one after the other.
  if (spec.pattern == Pattern::sequential && file.size) {
    line.add("offset_increment",
             file.size->value / jobs.count / spec.block_size.value * spec.block_size.value);
  }
}

// A latency probe's open loop. Rates that fio cannot express become pauses.
void add_rate(Line& line, const ProbeSpec& spec) {
  const double reads = spec.rate * spec.read_percent / 100;
  const double writes = spec.rate - reads;
  const auto is_whole = [](double rate) { return rate == std::floor(rate); };
  if (!is_whole(reads) || !is_whole(writes)) {
    line.add("thinktime", std::to_string(std::llround(1e6 / spec.rate)) + "us");
    return;
  }
  std::string rate = std::to_string(std::llround(spec.writes() ? writes : reads));
  if (reads > 0 && writes > 0) rate = std::to_string(std::llround(reads)) + "," + rate;
  line.add("rate_iops", rate);
  line.add("rate_process", "linear");
}

std::string fio_time(Duration time) {
  using std::chrono::microseconds;
  const auto us = std::chrono::ceil<microseconds>(time).count();
  if (us % 1'000'000 == 0) return std::to_string(us / 1'000'000) + "s";
  if (us % 1000 == 0) return std::to_string(us / 1000) + "ms";
  return std::to_string(us) + "us";
}

// fio ends at the earlier of runtime and io_size, unless it is told time_based. Its io_size is a
// job's and counts reads and writes.
void add_limits(Line& line, const ProbeSpec& spec, Engine engine) {
  std::uint64_t ios = spec.limits.ops.value;
  if (spec.limits.bytes.value > 0) {
    const std::uint64_t affordable = spec.limits.bytes.value / spec.block_size.value;
    ios = ios == 0 ? affordable : std::min(ios, affordable);
  }
  if (spec.limits.time > Duration{}) line.add("runtime", fio_time(spec.limits.time));
  if (ios == 0) {
    line.add_flag("time_based");
  } else {
    const std::uint64_t each = std::max<std::uint64_t>(ios / jobs_of(spec, engine).count, 1);
    line.add("io_size", each * spec.block_size.value);
  }
}

Unexpected cannot(const std::string& why) { return Unexpected({Errc::invalid, why}); }

}  // namespace

Result<std::string> fio_line(const ProbeSpec& spec, Engine engine, const FioFile& file) {
  if (spec.block_size.value == 0) return cannot("no fio line: the probe has no block size");
  if (spec.writes() && file.life == FioFile::Life::existing) {
    return cannot("no fio line: probe " + spec.name + " writes, and " + file.path.string() +
                  " is not a file of fio's own");
  }
  const std::string path = file.path.string();
  const bool is_printable = std::none_of(path.begin(), path.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (!is_printable) return cannot("no fio line: the path has a control character");
  Line line;
  line.add("name", spec.name);
  add_file(line, spec, file);
  add_workload(line, spec);
  add_engine(line, spec, engine, file);
  if (spec.kind == Kind::latency) add_rate(line, spec);
  add_limits(line, spec, engine);
  return line.text();
}

}  // namespace storage_probe::cli
