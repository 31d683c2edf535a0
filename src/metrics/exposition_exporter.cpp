// SPDX-License-Identifier: Apache-2.0
// The metrics of the exporter itself: its configuration, its event loop and its process.
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/version.h"
#include "metrics/exposition.h"
#include "metrics/exposition_samples.h"

namespace storage_probe::metrics {
namespace {

struct ExporterView {
  const ExporterStatus& status;
  Subject subject;
};

constexpr std::array kExporterMetrics{
    Metric<ExporterView>{"storage_probe_exporter_config_info",
                         "The configuration in force, by the hash of its text; always 1.", kGauge,
                         [](const ExporterView& exporter, Samples& samples) {
                           samples.add(1.0, {{"sha256", exporter.status.config_sha256}});
                         }},
    Metric<ExporterView>{"storage_probe_exporter_config_last_reload_successful",
                         "Whether the last attempt to load the configuration succeeded.", kGauge,
                         [](const ExporterView& exporter, Samples& samples) {
                           samples.add(exporter.status.last_reload_succeeded ? 1.0 : 0.0);
                         }},
    Metric<ExporterView>{"storage_probe_exporter_config_last_reload_success_timestamp_seconds",
                         "When the configuration in force was loaded.", kGauge,
                         [](const ExporterView& exporter, Samples& samples) {
                           samples.add(exporter.status.last_reload_success);
                         }},
    Metric<ExporterView>{
        "storage_probe_exporter_workers",
        "Child processes that probe, or that the kernel does not let go.", kGauge,
        [](const ExporterView& exporter, Samples& samples) {
          samples.add(std::uint64_t{exporter.status.workers_running}, {{"state", "running"}});
          samples.add(std::uint64_t{exporter.status.workers_stuck}, {{"state", "stuck"}});
        }},
};

// What the kernel says about this process; what could not be read is empty.
struct ProcessFigures {
  std::optional<double> cpu_seconds, resident_bytes, virtual_bytes, threads, start_time;
  std::optional<double> open_fds, max_fds;
};

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The words of the line that begins with `head`, without it.
std::vector<std::string> words_after(const std::string& text, const std::string& head) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, head.size(), head) != 0) continue;
    std::istringstream rest(line.substr(head.size()));
    std::vector<std::string> words;
    for (std::string word; rest >> word;) words.push_back(word);
    return words;
  }
  return {};
}

std::string small_file(const std::filesystem::path& path) {
  constexpr std::size_t kLimit = std::size_t{1} << 20U;  // /proc/stat of a large host: some 100 KiB
  const auto text = read_file(path, kLimit);
  return text ? *text : std::string();
}

void read_stat(const std::string& stat, const std::string& procfs, ProcessFigures& figures) {
  // The command's name is in parentheses and may hold anything, parentheses and blanks included.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return;
  const std::vector<std::string> fields = words_after(stat.substr(name_end + 1), "");
  // Counted from the state, the third field of proc(5).
  constexpr std::size_t kUserTime = 11;
  constexpr std::size_t kSystemTime = 12;
  constexpr std::size_t kThreads = 17;
  constexpr std::size_t kStart = 19;
  constexpr std::size_t kVirtual = 20;
  constexpr std::size_t kResident = 21;
  if (fields.size() <= kResident) return;
  const auto field = [&](std::size_t i) { return number(fields[i]).value_or(0); };
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  figures.cpu_seconds = (field(kUserTime) + field(kSystemTime)) / ticks;
  figures.threads = field(kThreads);
  figures.virtual_bytes = field(kVirtual);
  figures.resident_bytes = field(kResident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const std::vector<std::string> boot =
      words_after(small_file(std::filesystem::path(procfs) / "stat"), "btime");
  if (!boot.empty())
    if (const auto booted = number(boot.front()))
      figures.start_time = *booted + field(kStart) / ticks;
}

std::optional<double> count_entries(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  double count = 0;
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error))
    ++count;
  if (error) return std::nullopt;
  return count;
}

ProcessFigures read_process(const std::string& procfs) {
  const std::filesystem::path self = std::filesystem::path(procfs) / "self";
  ProcessFigures figures;
  read_stat(small_file(self / "stat"), procfs, figures);
  figures.open_fds = count_entries(self / "fd");
  const std::vector<std::string> limits =
      words_after(small_file(self / "limits"), "Max open files");
  if (!limits.empty()) figures.max_fds = number(limits.front());
  return figures;
}

struct LiveView {
  const LiveStatus& status;
  ProcessFigures process;
  Subject subject;
};

constexpr std::array kLiveMetrics{
    Metric<LiveView>{
        "storage_probe_exporter_build_info", "What this exporter was built from; always 1.", kGauge,
        [](const LiveView&, Samples& samples) {
          samples.add(1.0,
                      {{"version", version()}, {"revision", revision()}, {"compiler", compiler()}});
        }},
    Metric<LiveView>{"storage_probe_exporter_scheduler_lag_seconds",
                     "How late the last run started, against its slot.", kGauge,
                     [](const LiveView& live, Samples& samples) {
                       samples.add(to_seconds(live.status.scheduler_lag));
                     }},
    Metric<LiveView>{
        "storage_probe_exporter_scheduler_heartbeat_timestamp_seconds",
        "When the event loop last ran.", kGauge,
        [](const LiveView& live, Samples& samples) { samples.add(live.status.heartbeat); }},
    Metric<LiveView>{
        "storage_probe_exporter_log_dropped_total",
        "Log lines that were dropped because stderr did not take them.", kCounter,
        [](const LiveView& live, Samples& samples) { samples.add(live.status.log_dropped); }},
    Metric<LiveView>{
        "storage_probe_exporter_http_requests_total",
        "HTTP requests answered, by handler and status code.", kCounter,
        [](const LiveView& live, Samples& samples) {
          for (const auto& [key, times] : live.status.http_requests)
            samples.add(times, {{"handler", key.first}, {"code", std::to_string(key.second)}});
        }},
    Metric<LiveView>{
        "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", kCounter,
        [](const LiveView& live, Samples& samples) { samples.add(live.process.cpu_seconds); }},
    Metric<LiveView>{
        "process_resident_memory_bytes", "Resident memory size in bytes.", kGauge,
        [](const LiveView& live, Samples& samples) { samples.add(live.process.resident_bytes); }},
    Metric<LiveView>{
        "process_virtual_memory_bytes", "Virtual memory size in bytes.", kGauge,
        [](const LiveView& live, Samples& samples) { samples.add(live.process.virtual_bytes); }},
    Metric<LiveView>{
        "process_open_fds", "Number of open file descriptors.", kGauge,
        [](const LiveView& live, Samples& samples) { samples.add(live.process.open_fds); }},
    Metric<LiveView>{
        "process_max_fds", "Maximum number of open file descriptors.", kGauge,
        [](const LiveView& live, Samples& samples) { samples.add(live.process.max_fds); }},
    Metric<LiveView>{
        "process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
        kGauge,
        [](const LiveView& live, Samples& samples) { samples.add(live.process.start_time); }},
    Metric<LiveView>{
        "process_threads", "Number of threads of the process.", kGauge,
        [](const LiveView& live, Samples& samples) { samples.add(live.process.threads); }},
};

}  // namespace

void collect_exporter(const Snapshot& snapshot, Page& page) {
  collect(kExporterMetrics, std::vector<ExporterView>{{snapshot.exporter, {}}}, page);
}

std::string render_live(const LiveStatus& live, const std::string& procfs) {
  Page page(Bytes{8192});
  collect(kLiveMetrics, std::vector<LiveView>{{live, read_process(procfs), {}}}, page);
  return page.take();
}

}  // namespace storage_probe::metrics
