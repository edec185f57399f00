#include "app/program.h"

#include <fmt/ranges.h>

#include <ostream>

#include "app/doctor.h"
#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr Subcommand kCommands[] = {
    {"train", "train one network and measure how fast", train_command},
    {"allreduce", "measure how fast ranks sum numbers up, by size", allreduce_command},
    {"models", "list the networks, or the layers of one", models_command},
    {"bench", "measure a few networks one after the other", bench_command},
    {"data", "pack, make up, check or measure a data set", data_command},
    {"sweep", "measure all combinations of options, each several times", sweep_command},
    {"tune", "find the fastest settings of one network", tune_command},
    {"report", "tables, CSV files, pictures and a page of sweeps", report_command},
    {"serve", "show sweeps in the browser, while they run and side by side", serve_command},
    {"compare", "say which of several measurements is faster, if any", compare_command},
    {"doctor", "look whether hosts are fit for a run", doctor_command},
    {"agent", "run the workers of one host for a launcher elsewhere", agent_command},
};

std::string overview() {
  std::string text =
      "lockstep measures how fast machines train convolutional networks.\n\n"
      "Usage: lockstep COMMAND [OPTION]...\n\nCommands:\n";
  for (const Subcommand& command : kCommands) {
    text += fmt::format("  {:<10}{}\n", command.name, command.summary);
  }
  return text +
         "\n'lockstep COMMAND --help' explains one; 'lockstep --version' prints the version.\n"
         "Exit codes: 0 done, 1 it failed on the way, 2 what was asked for cannot be had, "
         "130 Ctrl-C.\n";
}

const Subcommand& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Subcommand& command : kCommands) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  const std::string near = closest(name, names);
  throw UsageError("there is no command '{}'; {}", name,
                   near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near));
}

std::string version_text(std::span<const EngineKind> engines) {
  std::string text = fmt::format("lockstep {}\n", program_version());
  for (const EngineKind& engine : engines) {
    if (engine.elsewhere) continue;
    for (const auto& [name, versions] : engine.libraries()) {
      text += fmt::format("{}: {}\n", name, versions);
    }
  }
  return text;
}

int dispatch(Surroundings& around, std::span<const std::string> arguments) {
  if (arguments.empty()) {
    around.err << overview();
    return kUsage;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    around.out << overview();
    return kSuccess;
  }
  if (first == "--version") {
    around.out << version_text(around.engines);
    return kSuccess;
  }
  return find_command(first).run(around, arguments.subspan(1));
}

void complain(std::ostream& err, std::string_view message) {
  for (const std::string& line : split(message, '\n')) err << "lockstep: " << line << "\n";
}

}  // namespace

std::span<const Subcommand> commands() { return kCommands; }
std::string program_version() { return LOCKSTEP_VERSION; }

int run_program(Surroundings& around, std::span<const std::string> arguments) {
  try {
    const int code = dispatch(around, arguments);
    if (!around.out.flush()) throw Error("cannot write to stdout");
    return code;
  } catch (const UsageError& error) {
    complain(around.err, error.what());
    return kUsage;
  } catch (const std::bad_alloc&) {
    complain(around.err, "not enough memory");
    return kFailure;
  } catch (const std::exception& error) {
    complain(around.err, error.what());
    return kFailure;
  }
}

}  // namespace lockstep
