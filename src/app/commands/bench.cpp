// bench.cpp: `lockstep bench`: a few networks one after the other, as one table.
//
// Every network is measured by a `lockstep train` of its own: its peak memory is its own, and it
// starts as cold as any run does.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <ostream>

#include "process/run_child.h"
#include "base/interrupt.h"
#include "app/options.h"
#include "app/program.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/text.h"
#include "nn/zoo.h"
#include "report/render/bench_table.h"

namespace lockstep {
namespace {

struct Entry {
  std::string model;
  std::string batch;
};

struct Wishes {
  std::string models = "alexnet:128,resnet50:16,inception3:16";
  std::string num_batches = "20";
  std::string num_warmup_batches = "3";
  std::string threads = "0";
  std::string output = "results";
};

std::string at_least(std::string_view option, int64_t least, const std::string& text) {
  const auto number = whole_number(text);
  if (!number || *number < least || *number > 10'000'000) {
    throw UsageError("--{} must be a whole number of at least {}, not '{}'", option, least, text);
  }
  return text;
}

// "alexnet:128,resnet50": names with batch sizes, which may be left out.
std::vector<Entry> entries_in(const std::string& text) {
  std::vector<Entry> entries;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> words = split(part, ':');
    if (words.size() > 2) throw UsageError("--models must be NAME:BATCH,..., not '{}'", text);
    const Model& model = find_model(words[0]);
    const std::string batch = words.size() == 2 ? at_least("models: the batch", 1, words[1])
                                                : fmt::to_string(model.default_batch_size);
    entries.push_back({std::string(model.name), batch});
  }
  return entries;
}

std::string result_path(const Wishes& wishes, const Entry& entry) {
  return (std::filesystem::path(wishes.output) /
          fmt::format("{}-b{}.json", entry.model, entry.batch))
      .string();
}

void prepare_output(const Wishes& wishes, const std::vector<Entry>& entries) {
  std::error_code error;
  std::filesystem::create_directories(wishes.output, error);
  if (error) throw UsageError("cannot make --output {}: {}", wishes.output, error.message());
  const std::string why = why_unwritable(result_path(wishes, entries.front()));
  if (!why.empty()) throw UsageError("cannot write to --output {}: {}", wishes.output, why);
}

// Empty: the user interrupted it.
std::optional<RunResult> measure(const Context& context, const Wishes& wishes, const Entry& entry) {
  const std::string path = result_path(wishes, entry);
  const int code =
      run_child({context.program, "train", "--model", entry.model, "--batch-size", entry.batch,
                 "--num-batches", wishes.num_batches, "--num-warmup-batches",
                 wishes.num_warmup_batches, "--threads", wishes.threads, "--result", path});
  if (code == kInterrupted) return {};
  if (code != kSuccess) {
    throw Error("lockstep train --model {} --batch-size {} ended with exit code {}", entry.model,
                entry.batch, code);
  }
  return read_result(path);
}

CommandSyntax syntax_for(Wishes& wishes) {
  const auto number = [](const char* name, int64_t least, std::string& target, std::string help) {
    return Flag{
        .name = name,
        .value_name = "N",
        .help = std::move(help),
        .set = [=, &target](const std::string& text) { target = at_least(name, least, text); },
        .default_text = target};
  };
  const auto text = [](const char* name, const char* value, std::string& target, std::string help) {
    return Flag{.name = name,
                .value_name = value,
                .help = std::move(help),
                .set = [&target](const std::string& given) { target = given; },
                .default_text = target};
  };
  return {.command = "bench",
          .summary = "Measures a few networks one after the other.",
          .flags = {text("models", "NAME:BATCH,...", wishes.models, "what to measure"),
                    number("num-batches", 1, wishes.num_batches, "timed steps of each"),
                    number("num-warmup-batches", 0, wishes.num_warmup_batches, "steps before them"),
                    number("threads", 0, wishes.threads, "0: every core"),
                    text("output", "DIR", wishes.output, "where the results go, as JSON")}};
}

}  // namespace

int bench_command(RunContext& context, std::span<const std::string> arguments) {
  Wishes wishes;
  const CommandSyntax syntax = syntax_for(wishes);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  const std::vector<Entry> entries = entries_in(wishes.models);
  prepare_output(wishes, entries);
  const InterruptWatch interrupts;  // the child gets the signal too, and ends by itself
  std::vector<RunResult> results;
  for (const Entry& entry : entries) {
    if (interrupts.interrupted()) break;
    context.err << fmt::format("[{}/{}] {}, batch {}: {} warm-up and {} timed steps\n",
                               results.size() + 1, entries.size(), entry.model, entry.batch,
                               wishes.num_warmup_batches, wishes.num_batches);
    std::optional<RunResult> result = measure(context, wishes, entry);
    if (!result) break;
    results.push_back(std::move(*result));
  }
  if (!results.empty()) {
    context.out << bench_table(results) << "results: " << wishes.output << "/\n";
  }
  return results.size() == entries.size() ? kSuccess : kInterrupted;
}

}  // namespace lockstep
