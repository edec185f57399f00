// program.h: the program without its main(): the table of commands and their dispatch.
//
// Everything that comes from outside (streams, terminal, environment, engines) is handed in, so
// tests run commands in their own process.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/config_files.h"
#include "base/exit_code.h"
#include "base/version.h"
#include "run/run_context.h"

namespace lockstep {

// Without defaults: shells start it, so a configuration file must not change or stop it. Internal:
// started by this program only; it has no options.
struct Subcommand {
  std::string_view name;
  std::string_view summary;
  int (*run)(RunContext& context, std::span<const std::string> arguments);  // exit code
  enum class Kind { Ordinary, WithoutDefaults, Internal } kind = Kind::Ordinary;
};

std::span<const Subcommand> commands();

using ReadDefaults = std::function<UserDefaults(const RunContext&)>;

// Runs the command that the arguments name, with the defaults that read_defaults() returns. Errors
// become lines on `err` and an exit code.
int run_program(RunContext& context, std::span<const std::string> arguments,
                const ReadDefaults& read_defaults = {});

int train_command(RunContext& context, std::span<const std::string> arguments);
int allreduce_command(RunContext& context, std::span<const std::string> arguments);
int models_command(RunContext& context, std::span<const std::string> arguments);
int frameworks_command(RunContext& context, std::span<const std::string> arguments);
int bench_command(RunContext& context, std::span<const std::string> arguments);
int data_command(RunContext& context, std::span<const std::string> arguments);
int sweep_command(RunContext& context, std::span<const std::string> arguments);
int tune_command(RunContext& context, std::span<const std::string> arguments);
int explain_command(RunContext& context, std::span<const std::string> arguments);
int report_command(RunContext& context, std::span<const std::string> arguments);
int serve_command(RunContext& context, std::span<const std::string> arguments);
int notebook_command(RunContext& context, std::span<const std::string> arguments);
int compare_command(RunContext& context, std::span<const std::string> arguments);
int completion_command(RunContext& context, std::span<const std::string> arguments);
int manual_command(RunContext& context, std::span<const std::string> arguments);
int selftest_command(RunContext& context, std::span<const std::string> arguments);
int doctor_command(RunContext& context, std::span<const std::string> arguments);
int simulate_command(RunContext& context, std::span<const std::string> arguments);
int calibrate_command(RunContext& context, std::span<const std::string> arguments);
int agent_command(RunContext& context, std::span<const std::string> arguments);

}  // namespace lockstep
