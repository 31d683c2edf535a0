// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <string>

#include "base/version.h"

namespace storage_probe::cli {
namespace {

constexpr const char* kAbout =
    "Probes storage volumes with short, budgeted I/O and exposes IOPS, throughput and latency to\n"
    "Prometheus. Without a command it serves.";

// The state directory of the packages, and what then holds the holds.
constexpr const char* kStoragePath = "/var/lib/storage-probe-exporter";
constexpr const char* kRuntimePath = "/run/storage-probe-exporter";
constexpr std::chrono::hours kLongestHold{24 * 365};

constexpr const char* kExamples =
    "Examples:\n"
    "  storage_probe_exporter                                     serve, one probe of the state "
    "directory's disk\n"
    "  storage_probe_exporter --config.file=config.yml            serve the targets of a file\n"
    "  storage_probe_exporter discover > config.yml               what is here to be probed?\n"
    "  storage_probe_exporter check-config config.yml             is this file right?\n"
    "  storage_probe_exporter plan --config.file=config.yml       what will it cost?\n"
    "  storage_probe_exporter hold mysql-data --for 4h            probe it no more for now\n"
    "  storage_probe_exporter probe /var/lib/mysql                how fast is this disk now?\n"
    "  storage_probe_exporter probe /data --probe latency --output json\n";

// Adds an option whose text becomes a value of `target` through `parse`, a Result<T>(string_view).
template <typename T, typename Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, T& target, Parse parse,
                        const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, parse, name](const std::string& text) {
            auto value = parse(text);
            if (!value) throw CLI::ValidationError(name, value.error().message);
            target = *value;
          },
          help)
      ->trigger_on_parse();
}

void add_common(CLI::App& app, CommonOptions& common) {
  app.add_option("--config.file", common.config_file,
                 "YAML file with the targets; none: one target on the directory of --storage.path")
      ->type_name("FILE");
  app.add_option("--storage.path", common.storage_path, "directory for this program's own state")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option(
         "--runtime.path", common.runtime_path,
         "directory whose `hold` has a file for each held target [/run/storage-probe-exporter; "
         "with another --storage.path, that directory]")
      ->type_name("DIR");
  app.add_option("--host.id", common.host_id,
                 "names this host's probe files, 1 to 16 hex digits; default: from the machine id")
      ->type_name("HEX");
  add_parsed(app, "--log.level", common.log_level, parse_log_level,
             "debug, info, warn or error [info]")
      ->type_name("LEVEL");
  add_parsed(app, "--log.format", common.log_format, parse_log_format, "logfmt or json [logfmt]")
      ->type_name("FORMAT");
  app.add_option("--path.procfs", common.procfs)->group("");
  app.add_option("--path.sysfs", common.sysfs)->group("");
}

void add_serve(CLI::App& app, ServeOptions& serve) {
  app.add_option("--web.listen-address", serve.listen_addresses,
                 "address to serve on, HOST:PORT; may be repeated")
      ->type_name("ADDRESS")
      ->capture_default_str();
  app.add_option("--web.telemetry-path", serve.telemetry_path, "path of the metrics")
      ->type_name("PATH")
      ->capture_default_str()
      ->check([](const std::string& path) {
        return path.size() > 1 && path.front() == '/' ? "" : "must start with / and name something";
      });
  app.add_option_function<std::string>(
         "--mode",
         [&serve](const std::string& text) {
           serve.mode = text == "observe" ? service::Mode::observe : service::Mode::probe;
         },
         "probe, or observe: no I/O on any target, only what is known without [probe]")
      ->check(CLI::IsMember({"probe", "observe"}))
      ->type_name("MODE");
  app.add_subcommand("serve", "the daemon: probe on a schedule and serve metrics (the default)")
      ->fallthrough();
}

void add_output(CLI::App& command, OutputFormat& output) {
  command
      .add_option_function<std::string>(
          "--output",
          [&output](const std::string& text) {
            output = text == "json" ? OutputFormat::json : OutputFormat::table;
          },
          "table or json [table]")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("FORMAT");
}

void add_probe(CLI::App& app, ProbeOptions& probe) {
  CLI::App* command =
      app.add_subcommand("probe", "run one probe now and print what it found")->fallthrough();
  command
      ->add_option("subject", probe.subject,
                   "a directory (with a /), or the name of a target of --config.file")
      ->type_name("PATH|TARGET")
      ->required();
  command->add_option("--probe", probe.probe, "which probe to run")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_flag(
      "--all", probe.all,
      "every probe of the target, or latency, randread and seqread of a path; JSON is "
      "one object a line");
  command->add_flag("--writes", probe.writes, "allow a probe that writes (to its own file)");
  command->add_flag("--keep-file", probe.keep_file, "leave the probe file of a path behind");
  add_output(*command, probe.output);
  command->add_flag("--print-fio", probe.print_fio,
                    "print the fio command line that does the same, and run nothing");
  command->footer(
      "Exit codes: 0 done, 1 the probe failed, 2 bad usage or configuration.\n"
      "For a path it first writes a temporary file there (1 % of the volume, 64 MiB to 1 GiB, once "
      "a\n"
      "probe), which has no name and is gone afterwards; nothing else is written.");
}

void add_check_config(CLI::App& app, CheckConfigOptions& check) {
  CLI::App* command =
      app.add_subcommand("check-config", "validate a configuration file: exit code 0 or 1");
  command->add_option("file", check.file, "the file to check")->type_name("FILE")->required();
  command->add_flag("--print", check.print, "print it with all defaults filled in");
}

void add_discover(CLI::App& app) {
  app.add_subcommand("discover", "print a configuration for this host's mounts; touches none")
      ->fallthrough()
      ->footer(
          "Comments say what was found of each volume and which mounts are left out. With\n"
          "--config.file it knows that file's promises and catalogue.");
}

void add_cleanup(CLI::App& app, CleanupOptions& cleanup) {
  CLI::App* command =
      app.add_subcommand("cleanup", "remove the probe files of the configured targets")
          ->fallthrough();
  command
      ->add_option("--force", cleanup.force,
                   "remove this one instead, which stands in a probe file's place and is not ours")
      ->type_name("FILE");
  command->footer(
      "Removes what this host's exporter has made, says what it left and why, and needs no more\n"
      "than half a minute, whatever hangs. Stop the exporter first, or it makes its files anew.\n"
      "Exit codes: 0 nothing is left, 1 something had to stay, 2 bad usage or configuration.");
}

void add_plan(CLI::App& app, PlanOptions& plan) {
  CLI::App* command =
      app.add_subcommand("plan", "what the configuration costs per day and month; runs nothing")
          ->fallthrough();
  add_output(*command, plan.output);
}

void add_target(CLI::App& command, std::string& target) {
  command.add_option("target", target, "a target's name, or all")
      ->type_name("TARGET|all")
      ->required();
}

void add_hold(CLI::App& app, HoldOptions& hold, ReleaseOptions& release) {
  CLI::App* command =
      app.add_subcommand("hold", "stop probing a target, or all: running probes end at once")
          ->fallthrough();
  add_target(*command, hold.target);
  command
      ->add_option_function<std::string>(
          "--for",
          [&hold](const std::string& text) {
            const auto time = parse_duration(text);
            if (!time) throw CLI::ValidationError("--for", time.error().message);
            if (*time <= Duration{})
              throw CLI::ValidationError("--for",
                                         "a hold of no time holds nothing: say how long, such as "
                                         "4h, or leave --for out to hold until it is released");
            if (*time > kLongestHold)
              throw CLI::ValidationError("--for",
                                         "a hold lasts up to 365d: leave --for out to hold "
                                         "until it is released");
            hold.time = *time;
          },
          "how long, such as 4h [until it is released]")
      ->type_name("TIME");
  command->add_option("--reason", hold.reason, "why: shown in the log and on the page")
      ->type_name("TEXT");
  command->footer(
      "The hold is a file under --runtime.path, named as the target: any script can touch one, "
      "and\n"
      "remove it. The command exits with 0 once the exporter has taken the hold over and no probe "
      "of\n"
      "the target runs any more; else with 1, and the hold stays.");
  command = app.add_subcommand("release", "end a hold: the target is probed on schedule again")
                ->fallthrough();
  add_target(*command, release.target);
}

int fail(const std::string& why) {
  std::fprintf(stderr, "storage_probe_exporter: %s\nRun with --help for usage.\n", why.c_str());
  return kUsage;
}

// Options that have no meaning together.
std::string contradiction(const CLI::App& app, const ProbeOptions& probe) {
  if (!app.got_subcommand("probe")) return {};
  const CLI::App* const command = app.get_subcommand("probe");
  if (probe.all && command->count("--probe") > 0)
    return "--all runs every probe, and --probe chooses one: leave one of them out";
  return {};
}

void complete(CommonOptions& common) {
  if (!common.runtime_path.empty()) return;
  common.runtime_path = common.storage_path == kStoragePath ? kRuntimePath : common.storage_path;
}

std::string version_text() {
  return "storage_probe_exporter, version " + std::string(version()) + " (revision " +
         std::string(revision()) + ", " + std::string(compiler()) + ")";
}

}  // namespace

Parsed parse_command_line(int argc, const char* const* argv) {
  CLI::App app(kAbout, "storage_probe_exporter");
  app.require_subcommand(0, 1);
  app.footer(kExamples);
  app.set_version_flag("--version", version_text(), "print the version and exit");

  ServeOptions serve;
  CommonOptions& common = serve.common;
  common.storage_path = kStoragePath;
  common.procfs = "/proc";
  common.sysfs = "/sys";
  serve.listen_addresses = {":10067"};
  serve.telemetry_path = "/metrics";
  ProbeOptions probe;
  probe.probe = "randread";
  CheckConfigOptions check;
  PlanOptions plan;
  HoldOptions hold;
  ReleaseOptions release;
  CleanupOptions cleanup;
  add_common(app, common);
  add_serve(app, serve);
  add_probe(app, probe);
  add_check_config(app, check);
  add_discover(app);
  add_plan(app, plan);
  add_hold(app, hold, release);
  add_cleanup(app, cleanup);
  const CLI::App* worker = app.add_subcommand("worker", "")->group("");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return Leave{app.exit(done)};
  } catch (const CLI::ParseError& error) {
    return Leave{fail(error.what())};
  }
  if (const auto why = contradiction(app, probe); !why.empty()) return Leave{fail(why)};
  complete(common);
  if (app.got_subcommand("check-config")) return check;
  if (app.got_subcommand(worker)) return WorkerOptions{};
  probe.common = plan.common = hold.common = release.common = cleanup.common = common;
  if (app.got_subcommand("probe")) return probe;
  if (app.got_subcommand("discover")) return DiscoverOptions{common};
  if (app.got_subcommand("plan")) return plan;
  if (app.got_subcommand("cleanup")) return cleanup;
  if (app.got_subcommand("hold")) return hold;
  if (app.got_subcommand("release")) return release;
  return serve;
}

}  // namespace storage_probe::cli
