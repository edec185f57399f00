// bench.cpp: `lockstep bench`: a few networks one after the other, as one table.
//
// Every network is measured by a `lockstep train` of its own: its peak memory is its own, and it
// starts as cold as any run does.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <ostream>

#include "app/options.h"
#include "app/program.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "nn/zoo.h"
#include "process/run_child.h"
#include "report/render/bench_table.h"

namespace lockstep {
namespace {

struct Entry {
  std::string model;
  std::string batch;
};

struct Options {
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

std::string result_path(const Options& options, const Entry& entry) {
  return (std::filesystem::path(options.output) /
          fmt::format("{}-b{}.json", entry.model, entry.batch))
      .string();
}

void prepare_output(const Options& options, const std::vector<Entry>& entries) {
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  if (error) throw UsageError("cannot make --output {}: {}", options.output, error.message());
  const std::string why = why_unwritable(result_path(options, entries.front()));
  if (!why.empty()) throw UsageError("cannot write to --output {}: {}", options.output, why);
}

// Empty: the user interrupted it.
std::optional<RunResult> measure(const Context& context, const Options& options,
                                 const Entry& entry) {
  const std::string path = result_path(options, entry);
  const int code =
      run_child({context.program, "train", "--model", entry.model, "--batch-size", entry.batch,
                 "--num-batches", options.num_batches, "--num-warmup-batches",
                 options.num_warmup_batches, "--threads", options.threads, "--result", path});
  if (code == kInterrupted) return {};
  if (code != kSuccess) {
    throw Error("lockstep train --model {} --batch-size {} ended with exit code {}", entry.model,
                entry.batch, code);
  }
  return read_result(path);
}

CommandSyntax syntax_for(Options& options) {
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
  return {
      .command = "bench",
      .summary = "Measures a few networks one after the other.",
      .flags = {text("models", "NAME:BATCH,...", options.models, "what to measure"),
                number("num-batches", 1, options.num_batches, "timed steps of each"),
                number("num-warmup-batches", 0, options.num_warmup_batches, "steps before them"),
                number("threads", 0, options.threads, "0: every core"),
                text("output", "DIR", options.output, "where the results go, as JSON")}};
}

}  // namespace

int bench_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  const std::vector<Entry> entries = entries_in(options.models);
  prepare_output(options, entries);
  const InterruptWatch interrupts;  // the child gets the signal too, and ends by itself
  std::vector<RunResult> results;
  for (const Entry& entry : entries) {
    if (interrupts.interrupted()) break;
    context.err << fmt::format("[{}/{}] {}, batch {}: {} warm-up and {} timed steps\n",
                               results.size() + 1, entries.size(), entry.model, entry.batch,
                               options.num_warmup_batches, options.num_batches);
    std::optional<RunResult> result = measure(context, options, entry);
    if (!result) break;
    results.push_back(std::move(*result));
  }
  if (!results.empty()) {
    context.out << bench_table(results) << "results: " << options.output << "/\n";
  }
  return results.size() == entries.size() ? kSuccess : kInterrupted;
}

}  // namespace lockstep
