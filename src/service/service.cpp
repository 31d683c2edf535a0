// SPDX-License-Identifier: Apache-2.0
#include "service/service.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "http/routes.h"
#include "http/server.h"
#include "metrics/exposition.h"
#include "metrics/recorder.h"
#include "service/brake.h"
#include "service/disk_reader.h"
#include "service/event_loop.h"
#include "service/notify.h"
#include "service/runs.h"
#include "service/steering.h"

namespace storage_probe::service {
namespace {

constexpr std::chrono::seconds kTick{1};
constexpr const char* kKillSwitch = "disabled";  // beside the configuration: holds everything
constexpr std::chrono::seconds kStopTime{1};     // for killed children to die
constexpr std::chrono::seconds kSlowReading{5};  // of the configuration: worth a word

class Service {
 public:
  Service(Options options, EventLoop loop, Logger& logger)
      : options_(std::move(options)),
        logger_(logger),
        loop_(std::move(loop)),
        runs_(loop_, recorder_, logger_,
              {options_.storage_path, options_.host_id, options_.procfs, options_.sysfs,
               options_.mode},
              [this] { changed(); }),
        steering_(loop_, recorder_, runs_, logger_, {options_.procfs, options_.sysfs}) {
    exporter_.config_sha256 = options_.config.sha256;
    exporter_.last_reload_success = std::chrono::system_clock::now();
  }

  Result<int> run();

 private:
  Result<void> listen();
  Result<void> watch_signals();
  Result<void> prepare_reload();
  Result<void> start_ticking();
  Result<void> watch_brake();
  void tick();
  void reload();
  void on_config_read();
  void take_over(config::Loaded loaded);
  void stop();
  void changed();
  void publish();
  metrics::LiveStatus live() const;

  Options options_;
  Logger& logger_;
  EventLoop loop_;
  metrics::Recorder recorder_;
  Published<Snapshot> published_;
  metrics::CachedExposition exposition_;
  // Written by the loop, read by the HTTP thread: since the epoch.
  std::atomic<WallTime::rep> heartbeat_{0};
  std::atomic<Duration::rep> lag_{0};
  ExporterStatus exporter_;
  WallTime last_tick_;
  bool loaded_ = false;
  std::optional<SteadyTime> stop_deadline_;  // set while stopping
  Runs runs_;
  Steering steering_;
  std::unique_ptr<http::Server> server_;
  std::atomic<const http::Server*> counting_{nullptr};  // server_ for its own thread, once it runs
  std::vector<EventLoop::Source> signals_;
  EventLoop::Source ticker_;
  std::optional<DiskReader<config::Loaded>> reader_;
  EventLoop::Source reader_source_;
  std::optional<SteadyTime> reload_warning_;  // when to say that a reading takes long
  std::optional<Brake> brake_;
  EventLoop::Source brake_source_;
};

Result<int> Service::run() {
  publish();  // there is something to serve before the first probe
  if (const auto listening = listen(); !listening) return Unexpected(listening.error());
  if (const auto watching = watch_signals(); !watching) return Unexpected(watching.error());
  if (const auto prepared = prepare_reload(); !prepared) return Unexpected(prepared.error());
  if (const auto ticking = start_ticking(); !ticking) return Unexpected(ticking.error());
  if (const auto fed = loop_.feed_watchdog(); !fed) return Unexpected(fed.error());
  if (const auto watching = watch_brake(); !watching) return Unexpected(watching.error());
  if (const auto taken = steering_.take_over(options_.config); !taken) {
    return Unexpected(taken.error());
  }
  loaded_ = true;
  publish();
  if (options_.mode == Mode::observe) logger_.info("observing: no target is probed");
  if (options_.config.targets.empty() && options_.config.auto_rules.empty())
    logger_.info("no targets: nothing is probed");
  notify::ready();
  const std::size_t count = options_.config.targets.size();
  notify::status(std::to_string(count) + (count == 1 ? " target" : " targets"));
  return loop_.run();
}

Result<void> Service::listen() {
  std::vector<http::Address> addresses;
  for (const std::string& text : options_.listen_addresses) {
    auto address = http::parse_address(text);
    if (!address) return Unexpected(address.error().in("--web.listen-address"));
    addresses.push_back(std::move(*address));
  }
  http::RouteOptions routes{options_.telemetry_path, options_.procfs};
  auto server = http::Server::start(
      addresses, http::standard_routes(
                     published_, exposition_, [this] { return live(); }, routes));
  if (!server) return Unexpected(server.error());
  server_ = std::move(*server);
  counting_ = server_.get();
  for (const std::string& address : options_.listen_addresses) {
    logger_.info("listening", {{"address", address}, {"metrics", options_.telemetry_path}});
  }
  return {};
}

Result<void> Service::watch_signals() {
  const auto add = [this](int number, EventLoop::Callback callback) -> Result<void> {
    auto source = loop_.on_signal(number, std::move(callback));
    if (!source) return Unexpected(source.error());
    signals_.push_back(std::move(*source));
    return {};
  };
  for (const int number : {SIGTERM, SIGINT}) {
    if (auto added = add(number, [this] { stop(); }); !added) return added;
  }
  return add(SIGHUP, [this] { reload(); });
}

Result<void> Service::prepare_reload() {
  auto reader = DiskReader<config::Loaded>::create(
      [file = options_.config_file] { return config::load(file); },
      [](const std::string& why) {
        config::Loaded failed;
        failed.errors.push_back("the configuration: " + why);
        return failed;
      });
  if (!reader) return Unexpected(reader.error());
  reader_.emplace(std::move(*reader));
  auto source = loop_.on_readable(reader_->event_fd(), [this] { on_config_read(); });
  if (!source) return Unexpected(source.error());
  reader_source_ = std::move(*source);
  return {};
}

Result<void> Service::start_ticking() {
  auto ticker = loop_.timer([this] { tick(); });
  if (!ticker) return Unexpected(ticker.error());
  ticker_ = std::move(*ticker);
  tick();
  return {};
}

// What is held is known before the first probe could start.
Result<void> Service::watch_brake() {
  std::filesystem::path kill_switch;
  if (!options_.config_file.empty())
    kill_switch = std::filesystem::absolute(options_.config_file).parent_path() / kKillSwitch;
  auto brake = Brake::watch({options_.hold_directory, std::move(kill_switch)});
  if (!brake) return Unexpected(brake.error());
  brake_.emplace(std::move(*brake));
  auto source = loop_.on_readable(brake_->event_fd(), [this] {
    runs_.set_holds(brake_->holds());
    publish();
  });
  if (!source) return Unexpected(source.error());
  brake_source_ = std::move(*source);
  runs_.set_holds(brake_->holds());
  return {};
}

void Service::tick() {
  const auto now = std::chrono::system_clock::now();
  heartbeat_ = now.time_since_epoch().count();
  ticker_.set_time(std::chrono::steady_clock::now() + kTick);
  if (!loaded_) return;
  if (reload_warning_ && std::chrono::steady_clock::now() >= *reload_warning_) {
    reload_warning_.reset();
    logger_.warn(
        "the configuration is still being read: its disk may hang, the old one is in force",
        {{"file", options_.config_file.string()}});
  }
  steering_.tick(std::chrono::steady_clock::now());
  runs_.tick();
  lag_ = runs_.lag().count();
  if (runs_.stuck() > 0 || recorder_.aged_out_between(last_tick_, now)) publish();
  last_tick_ = now;
}

void Service::reload() {
  if (options_.config_file.empty()) {
    logger_.warn("nothing to reload: running without --config.file");
    return;
  }
  notify::reloading();
  if (!reader_->is_reading()) reload_warning_ = std::chrono::steady_clock::now() + kSlowReading;
  reader_->request();
}

void Service::on_config_read() {
  auto loaded = reader_->take();
  if (!loaded) return;
  take_over(*std::move(loaded));
  if (reader_->is_reading()) return;
  reload_warning_.reset();
  notify::ready();
}

// Atomic: a bad file changes nothing.
void Service::take_over(config::Loaded loaded) {
  for (const std::string& error : loaded.errors) logger_.error("bad config", {{"error", error}});
  exporter_.last_reload_succeeded = loaded.errors.empty();
  if (loaded.errors.empty()) {
    for (const std::string& note : loaded.notes) logger_.info("config note", {{"note", note}});
    exporter_.last_reload_success = std::chrono::system_clock::now();
    exporter_.config_sha256 = loaded.config.sha256;
    options_.config = std::move(loaded.config);
    if (const auto taken = steering_.take_over(options_.config); !taken) {
      logger_.error("reload", {{"error", taken.error().message}});
    }
    logger_.info("configuration reloaded",
                 {{"targets", std::to_string(options_.config.targets.size())}});
  } else {
    logger_.error("configuration not reloaded: the old one stays in force");
  }
  publish();
}

// The children are killed and waited for; what the kernel does not let go in time is left to it.
void Service::stop() {
  if (stop_deadline_) return;
  logger_.info("stopping");
  notify::stopping();
  stop_deadline_ = std::chrono::steady_clock::now() + kStopTime;
  ticker_.set_time(*stop_deadline_);
  runs_.stop();
  changed();
}

void Service::changed() {
  publish();
  const bool is_over = runs_.running() == 0 ||
                       (stop_deadline_ && std::chrono::steady_clock::now() >= *stop_deadline_);
  if (stop_deadline_ && is_over) loop_.exit(0);
}

void Service::publish() {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->taken = std::chrono::system_clock::now();
  snapshot->ready = loaded_ && runs_.is_ready();
  const auto histograms = options_.config.histograms;
  snapshot->histograms_for_latency = histograms != config::Histograms::none;
  snapshot->histograms_for_capacity = histograms == config::Histograms::all;
  snapshot->targets = recorder_.statuses(snapshot->taken);
  if (loaded_) runs_.complete(snapshot->targets);
  snapshot->exporter = exporter_;
  snapshot->exporter.workers_running = runs_.running();
  snapshot->exporter.workers_stuck = runs_.stuck();
  published_.set(std::move(snapshot));
  if (loaded_ && brake_) brake_->answer(runs_.hold_answer());
}

metrics::LiveStatus Service::live() const {
  metrics::LiveStatus live;
  live.heartbeat = WallTime(WallTime::duration(heartbeat_.load()));
  live.scheduler_lag = Duration(lag_.load());
  live.log_dropped = logger_.dropped();
  if (const http::Server* server = counting_.load()) live.http_requests = server->request_counts();
  return live;
}

}  // namespace

void prepare_signals() {
  sigset_t taken;
  sigemptyset(&taken);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&taken, number);
  pthread_sigmask(SIG_BLOCK, &taken, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a client or a child that went away is an error code, not a death
}

int run(Options options, Logger& logger) {
  auto loop = EventLoop::create();
  if (!loop) {
    logger.error("cannot start", {{"error", loop.error().message}});
    return 1;
  }
  Service service(std::move(options), std::move(*loop), logger);
  const auto code = service.run();
  if (!code) {
    logger.error("cannot start", {{"error", code.error().message}});
    return 1;
  }
  return *code;
}

}  // namespace storage_probe::service
