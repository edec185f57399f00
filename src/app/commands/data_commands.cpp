#include "app/commands/data_commands.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "base/text.h"
#include "measure/host.h"

namespace lockstep {
namespace {

constexpr Subcommand kDataCommands[] = {
    {"pack", "write a data set as TFRecord files", data_pack_command},
    {"make", "generate a synthetic data set of JPEG images, to test storage", data_make_command},
    {"check", "check every example: checksums, images, labels", data_check_command},
    {"bench", "measure reading, decoding, augmenting and the whole pipeline", data_bench_command},
};

std::string overview() {
  std::string text =
      "Packs, generates, checks and measures data sets.\n\nUsage: lockstep data COMMAND "
      "[OPTION]...\n\nCommands:\n";
  for (const Subcommand& command : kDataCommands) {
    text += fmt::format("  {:<10}{}\n", command.name, command.summary);
  }
  return text + "\n'lockstep data COMMAND --help' lists its options.\n";
}

}  // namespace

int data_command(RunContext& context, std::span<const std::string> arguments) {
  if (context.hear_syntax) {
    for (const Subcommand& command : kDataCommands) command.run(context, {});
    return kSuccess;
  }
  if (arguments.empty()) {
    context.err << overview();
    return kUsage;
  }
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    context.out << overview();
    return kSuccess;
  }
  std::vector<std::string> names;
  for (const Subcommand& command : kDataCommands) {
    if (command.name == arguments[0]) return command.run(context, arguments.subspan(1));
    names.emplace_back(command.name);
  }
  const std::string near = closest(arguments[0], names);
  throw UsageError("unknown command 'data {}'; {}", arguments[0],
                   near.empty() ? fmt::format("use one of {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near));
}

WorkBar::WorkBar(Context& context, std::string what) : progress_(context), what_(std::move(what)) {}

void WorkBar::show(int64_t done, int64_t all) {
  const double part = static_cast<double>(done) / static_cast<double>(std::max<int64_t>(all, 1));
  const Seconds left = seconds_since(start_) * (part > 0 ? (1 - part) / part : 0);
  progress_.show(what_, static_cast<int>(done), static_cast<int>(all), left);
}

std::string outcome_line(std::string_view split, std::string_view thing,
                         const PackOutcome& outcome) {
  return fmt::format("{}: wrote {}, {} in {}; {} existed\n", split,
                     count_text(outcome.written_examples, thing), bytes_text(outcome.bytes),
                     count_text(outcome.written_shards, "file"), outcome.kept_shards);
}

int threads_or_all(int64_t wanted) {
  return wanted > 0 ? static_cast<int>(wanted) : read_host().usable_threads;
}

}  // namespace lockstep
