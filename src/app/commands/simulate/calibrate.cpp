// calibrate.cpp: `lockstep calibrate`: measures this machine or cluster for the simulator.
//
// The parts are measured by the other commands, as processes of their own and through whatever
// launcher the options name: train on one device and on all, with and without parameter servers,
// and all-reduces by size.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "app/command_line.h"
#include "app/device_choice.h"
#include "app/flags.h"
#include "app/program.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "config/json.h"
#include "nn/description/network_file.h"
#include "process/guarded_directory.h"
#include "process/run_child.h"
#include "run/run_input.h"
#include "sim/calibrate/calibration.h"
#include "sim/cluster/ready_clusters.h"

namespace lockstep {
namespace {

struct Options {
  RunConfig run;
  std::string model = "lenet", output = kCalibratedFile;
  int batch_size = 32, num_batches = 20, num_warmup_batches = 3;
  std::vector<std::string> passed = {};  // launch options as they were given
};

// Options of a run that say where ranks run and how they get there: of all commands.
constexpr std::string_view kLaunchFlags[] = {
    "num-devices", "hosts",         "nodes",         "launcher",  "remote-dir",
    "ssh-option",  "mpirun-option", "sbatch-option", "interface", "communicator",
    "device",      "gpu-indices"};  // all-reduces of GPUs are NCCL's, as those of training
constexpr std::string_view kTrainFlags[] = {"engine", "threads"};

CommandSyntax syntax_for(Options& options) {
  std::vector<Flag> flags = {
      text_flag({"model", "NAME|FILE", "network of the short training runs", &options.model}),
      number_flag({.name = "batch-size",
                   .help = "images per device per step",
                   .value = &options.batch_size,
                   .range = {.least = 1},
                   .letter = 'b'}),
      number_flag({.name = "num-batches",
                   .help = "timed steps of each training run",
                   .value = &options.num_batches,
                   .range = {.least = 5}}),
      text_flag({"output", "FILE.toml", "cluster file to write", &options.output})};
  flags[0].letter = 'm';
  for (Flag& flag : run_flags(options.run)) {
    const bool launch = std::ranges::count(kLaunchFlags, flag.name) > 0;
    if (!launch && std::ranges::count(kTrainFlags, flag.name) == 0) continue;
    flag.group = "Options";
    const auto set = flag.set;
    flag.set = [&options, set, name = flag.name](const std::string& text) {
      set(text);
      options.passed.push_back(fmt::format("--{}={}", name, text));
    };
    flags.push_back(std::move(flag));
  }
  return {.command = "calibrate",
          .summary = "Measures this machine or cluster and writes a cluster file for simulate.",
          .flags = std::move(flags)};
}

class Measurements {
 public:
  Measurements(const Context& context, const Options& options)
      : context_(context), options_(options), directory_(temporary_directory()) {}

  CalibrationRuns take() {
    CalibrationRuns runs;
    runs.all = train("all", {}, 0);
    const RunFacts& facts = runs.all.facts;
    if (facts.devices < 2) {
      throw UsageError("calibrate needs at least 2 devices; use --num-devices N or --hosts");
    }
    const std::string one_node = facts.nodes > 1 ? "--nodes=1" : "";
    runs.one = train("one", {"--num-devices=1", one_node}, facts.threads);
    runs.independent = train("independent", {"--variable-update=independent"}, facts.threads);
    runs.all_reduce = all_reduce("all-reduce", {});
    runs.servers = train("servers", {"--variable-update=parameter_server"}, facts.threads);
    const std::string model = fmt::format("--model={}", kManyVariables);
    runs.many_one = train("many-one", {model, "--num-devices=1", one_node}, facts.threads);
    runs.many_servers =
        train("many-servers", {model, "--variable-update=parameter_server"}, facts.threads);
    if (facts.nodes > 1) {
      if (facts.devices > facts.nodes) runs.inside_node = all_reduce("inside", {"--nodes=1"});
      if (facts.devices > 2) {
        runs.two_nodes = all_reduce("two-nodes", {"--nodes=2", "--num-devices=1"});
      }
    }
    runs.transport = transport_of(facts.communicator);
    runs.when = today();
    return runs;
  }

 private:
  // Libraries that find InfiniBand or RoCE adapters use them; our own communicators use TCP.
  static std::string transport_of(const std::string& communicator) {
    const bool library = chooses_transport(communicator);
    std::error_code none;
    const std::filesystem::directory_iterator adapters("/sys/class/infiniband", none);
    return library && !none && adapters != std::filesystem::end(adapters) ? "rdma" : "tcp";
  }

  static std::string today() {
    const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const std::chrono::year_month_day date(days);
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  }

  std::string path(const std::string& name) const {
    return (directory_.path() / (name + ".json")).string();
  }

  // `instead` replaces words and given options of the same name.
  void start(std::vector<std::string> words, const std::vector<std::string>& instead,
             bool training) const {
    const auto name_of = [](const std::string& word) { return word.substr(0, word.find('=')); };
    const auto replaced = [&](const std::string& word) {
      return std::ranges::any_of(
          instead, [&](const std::string& other) { return name_of(other) == name_of(word); });
    };
    std::erase_if(words, replaced);
    for (const std::string& word : options_.passed) {
      const bool of_training = std::ranges::count(kTrainFlags, name_of(word).substr(2)) > 0;
      if (!replaced(word) && (training || !of_training)) words.push_back(word);
    }
    for (const std::string& word : instead) {
      if (!word.empty()) words.push_back(word);
    }
    if (context_.quiet) words.emplace_back("--quiet");
    const int code = run_child({.words = words, .show_stdout = !context_.quiet});
    if (code != kSuccess) throw Error("lockstep {} ended with exit code {}", words[1], code);
  }

  RunResult train(const std::string& name, const std::vector<std::string>& instead,
                  int threads) const {
    std::vector<std::string> words = {
        context_.program,
        "train",
        "--model=" + options_.model,
        fmt::format("--batch-size={}", options_.batch_size),
        fmt::format("--num-batches={}", options_.num_batches),
        fmt::format("--num-warmup-batches={}", options_.num_warmup_batches),
        "--result=" + path(name)};
    if (threads > 0 && options_.run.threads == 0)
      words.push_back(fmt::format("--threads={}", threads));
    start(std::move(words), instead, true);
    return read_result(path(name));
  }

  // Large messages show the rate beside caches; few of them are enough.
  std::vector<AllReduceTime> all_reduce(const std::string& name,
                                        const std::vector<std::string>& instead) const {
    std::vector<AllReduceTime> times = sweep(name, {"2K", "8M", "--iters=10"}, instead);
    std::ranges::copy(sweep(name + "-large", {"32M", "32M", "--iters=3"}, instead),
                      std::back_inserter(times));
    return times;
  }

  struct Sizes {
    std::string least, most, iterations;
  };
  std::vector<AllReduceTime> sweep(const std::string& name, const Sizes& sizes,
                                   const std::vector<std::string>& instead) const {
    start({context_.program, "allreduce", "--minbytes=" + sizes.least, "--maxbytes=" + sizes.most,
           sizes.iterations, "--warmup-iters=2", "--result=" + path(name)},
          instead, false);
    std::ifstream in(path(name));
    const Json json = Json::parse(in);
    std::vector<AllReduceTime> times;
    for (const Json& row : json.at("rows")) {
      times.push_back(
          {.bytes = row.at("bytes").get<double>(), .seconds = row.at("p50_seconds").get<double>()});
    }
    return times;
  }

  const Context& context_;
  const Options& options_;
  GuardedDirectory directory_;
};

// All measurements must be on the same device; on other hosts their ranks know what `gpu` is.
void name_gpu(Options& options, const RunContext& context) {
  if (options.run.device != "gpu" || runs_elsewhere(options.run, context.environment)) return;
  const std::optional<std::string> found = gpu_here(context);
  if (!found) context.err << "note: --device gpu: this host has no GPU; measuring the CPU\n";
  std::erase_if(options.passed, [](auto& word) { return word.starts_with("--device="); });
  options.passed.push_back("--device=" + found.value_or("cpu"));
}

}  // namespace

int calibrate_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  name_gpu(options, context);
  model_named(options.model);
  const std::string why = why_unwritable(options.output);
  if (!why.empty()) throw UsageError("cannot write --output {}: {}", options.output, why);
  const CalibratedCluster result = calibrated(Measurements(context, options).take());
  write_whole_file(options.output, result.text);
  context.out << result.text;
  for (const std::string& note : result.notes) context.err << "note: " << note << "\n";
  context.err << "wrote " << options.output << "; 'lockstep simulate --cluster " << options.output
              << "' uses it\n";
  return kSuccess;
}

}  // namespace lockstep
