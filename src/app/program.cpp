#include "app/program.h"

#include <fmt/ranges.h>

#include <ostream>

#include "base/error.h"
#include "base/run_event.h"
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

int dispatch(RunContext& context, std::span<const std::string> arguments) {
  if (arguments.empty()) {
    context.err << overview();
    return kUsage;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    context.out << overview();
    return kSuccess;
  }
  if (first == "--version") {
    context.out << "lockstep " << program_version() << "\n";
    return kSuccess;
  }
  return find_command(first).run(context, arguments.subspan(1));
}

void complain(Context& context, const std::string& message,
              RunEvent::Kind kind = RunEvent::Kind::Failed) {
  for (const std::string& line : split(message, '\n')) context.err << "lockstep: " << line << "\n";
  report_event(context, {.kind = kind, .text = message});
}

}  // namespace

std::span<const Subcommand> commands() { return kCommands; }

int run_program(RunContext& context, std::span<const std::string> arguments) {
  try {
    const int code = dispatch(context, arguments);
    if (!context.out.flush()) throw Error("cannot write to stdout");
    return code;
  } catch (const UsageError& error) {
    complain(context, error.what());
    return kUsage;
  } catch (const DiskFullError& error) {
    complain(context, error.what(), RunEvent::Kind::DiskFull);
    return kFailure;
  } catch (const std::bad_alloc&) {
    complain(context, "not enough memory");
    return kFailure;
  } catch (const std::exception& error) {
    complain(context, error.what());
    return kFailure;
  }
}

}  // namespace lockstep
