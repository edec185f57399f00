// bench.cpp: `lockstep bench`: measures several networks in sequence and prints one table.
//
// Every network is measured by its own `lockstep train` process, so that its peak memory is its own
// and it starts as cold as any other run.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "app/command_line.h"
#include "app/flags.h"
#include "app/program.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "config/json_text.h"
#include "nn/description/network_file.h"
#include "process/run_child.h"
#include "report/render/bench_table.h"
#include "report/results/results_store.h"

namespace lockstep {
namespace {

struct Entry {
  std::string model;
  int64_t batch;
  std::string given;  // the name, or a network file
};

struct Options {
  std::string models = "alexnet:128,resnet50:16,inception3:16";
  int num_batches = 20, num_warmup_batches = 3, threads = 0;
  std::string output = "results";
  bool json = false;
};

constexpr int64_t kMost = 10'000'000;

// "alexnet:128,resnet50": names with batch sizes, which may be left out.
std::vector<Entry> entries_in(const std::string& text) {
  std::vector<Entry> entries;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> words = split(part, ':');
    if (words.size() > 2) throw UsageError("--models must be NAME:BATCH,..., not '{}'", text);
    const Model model = model_named(words[0]);
    const int64_t batch = words.size() == 2 ? whole_in("models: the batch", words[1], {1, kMost})
                                            : model.default_batch_size;
    entries.push_back({model.name, batch, words[0]});
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
  if (error) throw UsageError("cannot create --output {}: {}", options.output, error.message());
  const std::string why = why_unwritable(result_path(options, entries.front()));
  if (!why.empty()) throw UsageError("cannot write to --output {}: {}", options.output, why);
}

// Absent: the user interrupted the run.
std::optional<RunResult> measure(const Context& context, const Options& options,
                                 const Entry& entry) {
  const std::string path = result_path(options, entry);
  const int code = run_child(
      {.words = {context.program, "train", "--model", entry.given,
                 fmt::format("--batch-size={}", entry.batch),
                 fmt::format("--num-batches={}", options.num_batches),
                 fmt::format("--num-warmup-batches={}", options.num_warmup_batches),
                 fmt::format("--threads={}", options.threads), "--result", path,
                 fmt::format("--quiet={}", context.quiet)},
       .variables = {fmt::format("{}={}", kSettingsVariable, context.provenance.settings)},
       .show_stdout = !context.quiet});
  if (code == kInterrupted) return {};
  if (code != kSuccess) {
    throw Error("lockstep train --model {} --batch-size {} ended with exit code {}", entry.model,
                entry.batch, code);
  }
  return read_result(path);
}

CommandSyntax syntax_for(Options& options) {
  return {
      .command = "bench",
      .summary = "Measures several networks in sequence.",
      .flags = {
          text_flag(
              {"models", "NAME:BATCH,...", "networks with their batch sizes", &options.models}),
          number_flag({"num-batches", "timed steps per network", &options.num_batches, {1, kMost}}),
          number_flag({"num-warmup-batches",
                       "warm-up steps per network",
                       &options.num_warmup_batches,
                       {0, kMost}}),
          number_flag(
              {"threads", "threads per device; 0: every core", &options.threads, {0, kMost}}),
          text_flag({"output", "DIR", "directory of the results, as JSON", &options.output}),
          switch_flag("json", "print the results as JSON instead of a table", &options.json)}};
}

}  // namespace

int bench_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  const std::vector<Entry> entries = entries_in(options.models);
  prepare_output(options, entries);
  const InterruptWatch interrupts;  // the child receives the signal too and ends by itself
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
  if (!results.empty() && options.json) {
    Json list = Json::array();
    for (const RunResult& result : results) list.push_back(result_to_json(without_samples(result)));
    context.out << json_text(list, 1) << "\n";
  } else if (!results.empty()) {
    context.out << bench_table(results) << "results: " << options.output << "/\n";
  }
  return results.size() == entries.size() ? kSuccess : kInterrupted;
}

}  // namespace lockstep
