// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "base/version.h"

namespace storage_probe::cli {
namespace {

constexpr const char* kAbout =
    "Probes storage volumes with short, budgeted I/O and exposes IOPS, throughput and latency to\n"
    "Prometheus. Without a command it serves.";

constexpr const char* kExamples =
    "Examples:\n"
    "  storage_probe_exporter                                     serve, one probe of the state "
    "directory's disk\n"
    "  storage_probe_exporter --config.file=config.yml            serve the targets of a file\n"
    "  storage_probe_exporter check-config config.yml             is this file right?\n"
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
  app.add_subcommand("serve", "the daemon: probe on a schedule and serve metrics (the default)")
      ->fallthrough();
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
  command
      ->add_option_function<std::string>(
          "--output",
          [&probe](const std::string& text) {
            probe.output = text == "json" ? OutputFormat::json : OutputFormat::table;
          },
          "table or json [table]")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("FORMAT");
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

int fail(const CLI::ParseError& error) {
  std::fprintf(stderr, "storage_probe_exporter: %s\nRun with --help for usage.\n", error.what());
  return kUsage;
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

  ServeOptions serve{{{},
                      "/var/lib/storage-probe-exporter",
                      {},
                      LogLevel::info,
                      LogFormat::logfmt,
                      "/proc",
                      "/sys"},
                     {":10067"},
                     "/metrics"};
  ProbeOptions probe;
  probe.probe = "randread";
  CheckConfigOptions check;
  add_common(app, serve.common);
  add_serve(app, serve);
  add_probe(app, probe);
  add_check_config(app, check);
  const CLI::App* worker = app.add_subcommand("worker", "")->group("");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return Leave{app.exit(done)};
  } catch (const CLI::ParseError& error) {
    return Leave{fail(error)};
  }
  if (app.got_subcommand("probe")) {
    probe.common = serve.common;
    return probe;
  }
  if (app.got_subcommand("check-config")) return check;
  if (app.got_subcommand(worker)) return WorkerOptions{};
  return serve;
}

}  // namespace storage_probe::cli
