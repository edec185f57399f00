// program.h: the program without its main(): a table of commands, and what they share.
//
// Everything that comes from outside (streams, terminal, environment, engines) is handed in, so
// tests run commands in their own process.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engines.h"
#include "app/place.h"
#include "base/time.h"

namespace lockstep {

struct Surroundings {
  std::span<const EngineKind> engines;
  std::ostream& out;  // what programs read
  std::ostream& err;  // everything else
  bool err_is_terminal = false;
  bool colour = false;                      // the terminal may be coloured
  std::string program = "";                 // path of this program, to start itself
  std::string cache_directory = "";         // what may be kept between runs; empty: nothing
  std::optional<int> default_threads = {};  // by the environment; else every core there is
  TimePoint start = Clock::now();
  Environment environment = [](const std::string&) { return std::nullopt; };
};

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  int (*run)(Surroundings& around, std::span<const std::string> arguments);  // exit code
};

std::span<const Subcommand> commands();
std::string program_version();

inline constexpr int kSuccess = 0, kFailure = 1, kUsage = 2, kInterrupted = 130;

// Runs the command that the arguments name. Errors become lines on `err` and an exit code.
int run_program(Surroundings& around, std::span<const std::string> arguments);

int train_command(Surroundings& around, std::span<const std::string> arguments);
int allreduce_command(Surroundings& around, std::span<const std::string> arguments);
int models_command(Surroundings& around, std::span<const std::string> arguments);
int bench_command(Surroundings& around, std::span<const std::string> arguments);
int data_command(Surroundings& around, std::span<const std::string> arguments);
int sweep_command(Surroundings& around, std::span<const std::string> arguments);
int tune_command(Surroundings& around, std::span<const std::string> arguments);
int report_command(Surroundings& around, std::span<const std::string> arguments);
int serve_command(Surroundings& around, std::span<const std::string> arguments);
int compare_command(Surroundings& around, std::span<const std::string> arguments);
int agent_command(Surroundings& around, std::span<const std::string> arguments);

}  // namespace lockstep
