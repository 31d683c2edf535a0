// SPDX-License-Identifier: Apache-2.0
// A configuration as text that loads again to the same one: every key is written, every value in
// its exact form.
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "config/config.h"
#include "config/quoted.h"

namespace storage_probe::config {
namespace {

std::string text(std::string_view value) { return quoted(value); }

std::string text(bool value) { return value ? "true" : "false"; }

std::string decimal(double value) {
  std::array<char, 512> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
  return {digits.data(), end.ptr};
}

// Moves the point in the ratio's digits: a multiplication would round.
std::string percent(double ratio) {
  std::string digits = decimal(ratio);
  if (digits.find('.') == std::string::npos) digits += '.';
  const std::size_t point = digits.find('.');
  digits += "00";
  digits.erase(point, 1);
  digits.insert(point + 2, ".");
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return "0%";
  digits.erase(0, digits[first] == '.' ? first - 1 : first);
  return digits + "%";
}

std::string rate(double bytes_per_second) {
  return to_text(Bytes{static_cast<std::uint64_t>(std::llround(bytes_per_second))}) + "/s";
}

std::string automatic_or(const std::optional<unsigned>& value) {
  return value ? std::to_string(*value) : "auto";
}

std::string word(Histograms histograms) {
  switch (histograms) {
    case Histograms::latency:
      return "latency";
    case Histograms::all:
      return "all";
    case Histograms::none:
      return "none";
  }
  return "unknown";
}

std::string word(Shared shared) {
  switch (shared) {
    case Shared::automatic:
      return "auto";
    case Shared::yes:
      return "true";
    case Shared::no:
      return "false";
  }
  return "unknown";
}

std::string word(VolumeSpec::Layout layout) {
  switch (layout) {
    case VolumeSpec::Layout::unset:
      return "";
    case VolumeSpec::Layout::stripe:
      return "stripe";
    case VolumeSpec::Layout::mirror:
      return "mirror";
    case VolumeSpec::Layout::linear:
      return "linear";
  }
  return "unknown";
}

std::string word(VolumeSpec::Per per) {
  switch (per) {
    case VolumeSpec::Per::unset:
      return "";
    case VolumeSpec::Per::filesystem:
      return "filesystem";
    case VolumeSpec::Per::client:
      return "client";
  }
  return "unknown";
}

// A map on one line, "{a: 1, b: 2}"; members without a value are left out.
class Braces {
 public:
  Braces& add(const std::string& key, const std::string& value) {
    if (value.empty()) return *this;
    text_ += (text_.empty() ? "" : ", ") + key + ": " + value;
    return *this;
  }
  Braces& add_text(const std::string& key, const std::string& value) {
    return add(key, value.empty() ? "" : text(value));
  }
  Braces& add_iops(const std::string& key, const std::optional<double>& value) {
    return add(key, value ? decimal(*value) : "");
  }
  Braces& add_rate(const std::string& key, const std::optional<double>& value) {
    return add(key, value ? rate(*value) : "");
  }
  std::string str() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

// The preset that says most of the probe; what it does not say is written beside it.
std::string nearest_preset(const ProbeSpec& spec) {
  if (find_preset(spec.name) != nullptr) return spec.name;
  if (spec.kind == Kind::latency) return spec.writes() ? "latency-write" : "latency";
  if (spec.pattern == Pattern::sequential) return spec.writes() ? "seqwrite" : "seqread";
  return spec.writes() ? "randwrite" : "randread";
}

std::string probe(const PlannedProbe& planned) {
  const ProbeSpec& spec = planned.spec;
  const ProbeSpec defaults;
  Braces limits;
  limits.add("time", to_text(spec.limits.time));
  if (spec.limits.ops.value > 0) limits.add("ios", std::to_string(spec.limits.ops.value));
  if (spec.limits.bytes.value > 0) limits.add("bytes", to_text(spec.limits.bytes));
  Braces braces;
  braces.add("use", nearest_preset(spec))
      .add_text("name", spec.name)
      .add("every", to_text(planned.every))
      .add("kind", std::string(to_text(spec.kind)))
      .add("pattern", std::string(to_text(spec.pattern)))
      .add("read_percent", std::to_string(spec.read_percent))
      .add("block_size", to_text(spec.block_size));
  if (spec.kind == Kind::capacity) {
    braces.add("queue_depth", automatic_or(spec.queue_depth));
    if (spec.rings) braces.add("rings", automatic_or(spec.rings));
    if (spec.stop_early != defaults.stop_early) braces.add("stop_early", text(spec.stop_early));
  } else {
    braces.add("rate", decimal(spec.rate));
  }
  if (spec.fsync_every != 0) braces.add("fsync_every", std::to_string(spec.fsync_every));
  if (spec.verify) braces.add("verify", "true");
  return braces.add("limits", limits.str()).str();
}

std::string volume(const VolumeSpec& volume) {
  const Promise& promise = volume.promise;
  Braces braces;
  braces.add_text("type", volume.type)
      .add_iops("iops", promise.iops)
      .add_rate("throughput", promise.throughput)
      .add_iops("read_iops", promise.read_iops)
      .add_iops("write_iops", promise.write_iops)
      .add_rate("read_throughput", promise.read_throughput)
      .add_rate("write_throughput", promise.write_throughput)
      .add("size", volume.size ? to_text(*volume.size) : "")
      .add("vpu", volume.vpu ? std::to_string(*volume.vpu) : "")
      .add("per", word(volume.per))
      .add("layout", word(volume.layout));
  std::string members;
  for (const VolumeMember& member : volume.members)
    members += (members.empty() ? "" : ", ") + Braces()
                                                   .add_text("id", member.id)
                                                   .add_iops("iops", member.iops)
                                                   .add_rate("throughput", member.throughput)
                                                   .str();
  return braces.add("members", members.empty() ? "" : "[" + members + "]").str();
}

std::string file(const ProbeFileSpec& file) {
  Braces braces;
  if (file.mode == ProbeFileSpec::Mode::existing)
    return braces.add("mode", "existing").add_text("path", file.path).str();
  braces.add("size", file.size ? to_text(*file.size) : "");
  // Written only where the operator did: an explicit directory overrides a safeguard.
  if (file.directory_is_explicit) braces.add_text("directory", file.directory);
  return braces.str();
}

std::string expect(const Expectation& expect) {
  return Braces()
      .add_text("fstype", expect.fs_type)
      .add_text("source", expect.source)
      .add_text("volume_id", expect.volume_id)
      .str();
}

std::string budget(const BudgetRule& budget) {
  return Braces()
      .add("share", percent(budget.share))
      .add("bytes_per_day", to_text(budget.bytes_per_day))
      .add("ios_per_day", std::to_string(budget.ios_per_day.value))
      .add("duty_cycle", percent(budget.duty_cycle))
      .str();
}

std::string shown(const std::filesystem::path& path) { return path.string(); }
std::string shown(const DailyWindow& window) { return to_text(window); }

template <typename T>
std::string list(const std::vector<T>& entries) {
  std::string out;
  for (const T& entry : entries) out += (out.empty() ? "" : ", ") + text(shown(entry));
  return "[" + out + "]";
}

// The keys of a target, each on its line.
std::string print_keys(const Target& target) {
  std::string out;
  const auto line = [&](const std::string& key, const std::string& value) {
    out += "    " + key + ": " + value + "\n";
  };
  const bool is_device = !target.device.empty();
  if (is_device) line("device", text(target.device.string()));
  if (!target.path.empty()) line("path", text(target.path.string()));
  line("optional", text(target.optional));
  line("expect", expect(target.expect));
  line("volume", volume(target.volume));
  if (target.objective)
    line("objective", Braces()
                          .add("latency", to_text(target.objective->latency))
                          .add("ratio", percent(target.objective->ratio))
                          .str());
  out += "    probes:\n";
  for (const PlannedProbe& planned : target.probes) out += "      - " + probe(planned) + "\n";
  if (!is_device) {
    line("file", file(target.file));
    line("space", Braces()
                      .add("min_free", percent(target.space.min_free_ratio))
                      .add("min_free_bytes", to_text(target.space.min_free_bytes))
                      .str());
  }
  if (target.busy != BusyRule{})
    line("busy", Braces()
                     .add("max_other_iops", percent(target.busy.max_other_iops))
                     .add("max_other_throughput", percent(target.busy.max_other_throughput))
                     .str());
  line("budget", budget(target.budget));
  if (target.shared != Shared::automatic) line("shared", word(target.shared));
  line("writes", text(target.writes));
  line("engine", std::string(to_text(target.engine)));
  line("io_priority", std::string(to_text(target.io_priority)));
  Braces labels;
  for (const auto& [name, value] : target.labels) labels.add_text(name, value);
  line("labels", labels.str());
  return out;
}

std::string print_rule(const AutoRule& rule) {
  std::string types;
  for (const std::string& type : rule.match.fs_types)
    types += (types.empty() ? "" : ", ") + text(type);
  const std::string match = Braces()
                                .add_text("mountpoint", rule.match.mountpoint)
                                .add("fstype", types.empty() ? "" : "[" + types + "]")
                                .add_text("provider", rule.match.provider)
                                .add_text("volume_type", rule.match.volume_type)
                                .str();
  return "  - match: " + match + "\n    name: " + text(rule.name) + "\n" + print_keys(rule.target);
}

}  // namespace

std::string print(const Config& config) {
  const std::string windows = Braces()
                                  .add("capacity", list(config.windows.capacity))
                                  .add("quiet", list(config.windows.quiet))
                                  .str();
  std::string out = "max_concurrent_capacity: " + std::to_string(config.max_concurrent_capacity) +
                    "\n" + "metrics: {histograms: " + word(config.histograms) + "}\n" +
                    "windows: " + windows + "\n";
  if (config.instance.known()) {
    Braces instance;
    instance.add_iops("iops", config.instance.iops)
        .add_rate("throughput", config.instance.throughput);
    out += "instance: " + instance.str() + "\n";
  }
  if (!config.catalogue_file.empty())
    out += "catalogue: " + text(config.catalogue_file.string()) + "\n";
  if (!config.promise_files.empty())
    out += "promises: {files: " + list(config.promise_files) + "}\n";
  out += config.targets.empty() ? "targets: []\n" : "targets:\n";
  for (const Target& target : config.targets)
    out += "  - name: " + text(target.name) + "\n" + print_keys(target);
  if (!config.auto_rules.empty()) out += "auto:\n";
  for (const AutoRule& rule : config.auto_rules) out += print_rule(rule);
  return out;
}

}  // namespace storage_probe::config
