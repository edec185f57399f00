#include "app/program.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "app/build_facts.h"
#include "app/command_line.h"
#include "app/installed_pages.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/run_event.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr Subcommand kCommands[] = {
    {"train", "train one network and measure how fast", train_command},
    {"allreduce", "measure all-reduce bandwidth and latency by message size", allreduce_command},
    {"models", "list the networks, or the layers of one", models_command},
    {"frameworks", "list the frameworks that can train the same networks", frameworks_command},
    {"bench", "measure several networks in sequence", bench_command},
    {"data", "pack, generate, check or measure a data set", data_command},
    {"sweep", "measure all combinations of options, each several times", sweep_command},
    {"tune", "find the fastest settings of one network", tune_command},
    {"report", "report sweeps as tables, CSV files, charts and a web page", report_command},
    {"explain", "say where the lost efficiency went and what to try first", explain_command},
    {"serve", "show running and finished sweeps in the browser, side by side", serve_command},
    {"notebook", "open the results of a sweep in Jupyter", notebook_command},
    {"compare", "test which of several measurements is faster", compare_command},
    {"selftest", "test that every core and device computes and communicates right",
     selftest_command},
    {"simulate", "predict images/sec and efficiency on a cluster you do not have",
     simulate_command},
    {"calibrate", "measure this machine or cluster and write a cluster file for simulate",
     calibrate_command},
    {"completion", "print the completion script of a shell", completion_command,
     Subcommand::Kind::WithoutDefaults},
    {"manual", "write the manual pages", manual_command, Subcommand::Kind::WithoutDefaults},
    {"doctor", "check that hosts are ready for a run", doctor_command},
    {"agent", "run the workers of one host for a remote launcher", agent_command,
     Subcommand::Kind::Internal},
};

// "Exit codes: 0 success, 1 run failed, ..."
std::string exit_codes_line() {
  std::vector<std::string> codes;
  for (const ExitCodeRow& row : kExitCodes)
    codes.push_back(fmt::format("{} {}", row.code, row.name));
  return fmt::format("Exit codes: {}.\n", fmt::join(codes, ", "));
}

std::string overview(const RunContext& context) {
  std::string text =
      "lockstep measures how fast machines train convolutional networks.\n\n"
      "Usage: lockstep COMMAND [OPTION]...\n\nCommands:\n";
  for (const Subcommand& command : kCommands) {
    text += fmt::format("  {:<12}{}\n", command.name, command.summary);
  }
  const std::string pages = directory_of_pages(context.program);
  return text +
         "\n'lockstep help COMMAND' lists its options; 'lockstep --version --verbose' lists what "
         "is built in.\n" +
         exit_codes_line() +
         fmt::format("Pages such as docs/networks.md are in {}.\n",
                     pages.empty() ? "docs/ of the source" : pages);
}

const Subcommand& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Subcommand& command : kCommands) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  const std::string near = closest(name, names);
  throw UsageError("unknown command '{}'; {}", name,
                   near.empty() ? fmt::format("use one of {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near));
}

std::string version_text(const RunContext& context) {
  std::string text = fmt::format("lockstep {}\n", program_version());
  if (!context.provenance.revision.empty()) {
    text += fmt::format("revision: {}\n", context.provenance.revision);
  }
  for (const EngineKind& engine : context.engines) {
    if (engine.elsewhere) continue;
    for (const auto& [name, versions] : engine.libraries("cpu")) {
      text += fmt::format("{}: {}\n", name, versions);
    }
  }
  return text;
}

int print_version(RunContext& context, std::span<const std::string> more) {
  const bool verbose = more.size() == 1 && (more[0] == "--verbose" || more[0] == "-v");
  if (!more.empty() && !verbose) {
    throw UsageError("--version {}: only --verbose may follow --version", more.front());
  }
  context.out << version_text(context) << (verbose ? build_facts(context) : "");
  return kSuccess;
}

// 'help train' is 'train --help', 'help data pack' is 'data pack --help'.
int help_on(RunContext& context, std::span<const std::string> command) {
  std::vector<std::string> words(command.begin() + 1, command.end());
  words.emplace_back("--help");
  return find_command(command.front()).run(context, words);
}

int dispatch(RunContext& context, std::span<const std::string> arguments,
             const ReadDefaults& read_defaults) {
  if (arguments.empty()) {
    context.err << overview(context);
    return kUsage;
  }
  const std::string& first = arguments.front();
  if (first == "help" && arguments.size() > 1) return help_on(context, arguments.subspan(1));
  constexpr std::string_view kHelp[] = {"help", "--help", "-h", "-help", "--helpfull"};
  if (std::ranges::count(kHelp, first)) {
    context.out << overview(context);
    return kSuccess;
  }
  if (first == "--version") return print_version(context, arguments.subspan(1));
  const Subcommand& command = find_command(first);
  if (read_defaults && command.kind == Subcommand::Kind::Ordinary) {
    try {
      UserDefaults defaults = read_defaults(context);
      context.defaults = std::move(defaults.options);
      context.defaults_notes = std::move(defaults.notes);
    } catch (const UsageError& error) {  // which --help need not know
      context.defaults_problem = error.what();
    }
  }
  return command.run(context, arguments.subspan(1));
}

void complain(Context& context, const std::string& message,
              RunEvent::Kind kind = RunEvent::Kind::Failed) {
  for (const std::string& line : split(message, '\n')) {
    context.err << "lockstep: " << printable(line) << "\n";
  }
  report_event(context, {.kind = kind, .text = message});
}

}  // namespace

std::span<const Subcommand> commands() { return kCommands; }

int run_program(RunContext& context, std::span<const std::string> arguments,
                const ReadDefaults& read_defaults) {
  try {
    const int code = dispatch(context, arguments, read_defaults);
    if (!context.out.flush()) throw Error("cannot write to stdout");
    return code;
  } catch (const UsageError& error) {
    complain(context, with_settings(error.what(), context.provenance.settings));
    return kUsage;
  } catch (const DiskFullError& error) {
    complain(context, error.what(), RunEvent::Kind::DiskFull);
    return kFailure;
  } catch (const std::bad_alloc&) {
    complain(context, "not enough memory");
    return kFailure;
  } catch (const std::exception& error) {
    complain(context, message_of(error));
    return kFailure;
  }
}

}  // namespace lockstep
