#include "app/commands/allreduce_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "app/flags.h"
#include "app/taken_flags.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/all_reduce_spec.h"
#include "comm/backends.h"
#include "comm/nccl/nccl_communicator.h"
#include "nn/description/network_file.h"
#include "run/strategy_options.h"

namespace lockstep {
namespace {

std::vector<std::string> backends_in(const std::string& text) {
  std::vector<std::string> known, given = split(text, ',');
  for (const Backend& backend : comm_backends()) known.emplace_back(backend.name);
  known.emplace_back(kNccl);
  for (const std::string& name : given) {
    check_not_absent(name);
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = closest(name, known);
    throw UsageError("--communicator: unknown backend '{}'; use one of {}{}", name,
                     fmt::join(known, ", "),
                     near.empty() ? "" : fmt::format("; did you mean {}?", near));
  }
  return given;
}

constexpr TakenFlag kTakenFlags[] = {
    {"num-devices", "ranks to start on this machine, or on each host"},
    {"device", "whose memory to reduce; in that of GPUs with NCCL"},
    {"gpu-indices"},
    {"bucket-mb", "size of a gradient bucket of --model in MiB"},
    {"interface"},
    {"all-reduce-spec"},
    {"gradient-compression"},
    {"stall-timeout"},
    {"result"},
    {"verbose"},
    {"log-dir"},
    {"launcher"},
    {"hosts"},
    {"nodes"},
    {"remote-dir"},
    {"ssh-option"},
    {"mpirun-option"},
    {"sbatch-option"},
    {"dry-run"},
};

std::vector<Flag> flags_of_a_run(AllReduceOptions& options) {
  std::vector<Flag> flags = taken_flags(options.run, kTakenFlags);
  std::ranges::find(flags, "nodes", &Flag::name)->letter = 0;  // -n is the number of iterations
  return flags;
}

}  // namespace

CommandSyntax all_reduce_syntax(AllReduceOptions& w) {
  const auto bytes = [](const char* name, char letter, int64_t& target, std::string help,
                        std::string shown) {
    return Flag{.name = name,
                .value_name = "BYTES",
                .help = std::move(help),
                .set = [=, &target](const std::string& text) { target = parse_bytes(name, text); },
                .default_text = std::move(shown),
                .letter = letter};
  };
  std::vector<Flag> flags = {
      bytes("minbytes", 'b', w.sizes.least_bytes, "smallest message size, such as 8, 64K, 128M",
            "1K"),
      bytes("maxbytes", 'e', w.sizes.most_bytes, "largest message size", "64M"),
      number_flag({"stepfactor", "factor from one size to the next", &w.sizes.factor, {2}, 'f'}),
      number_flag({"iters",
                   "timed iterations of each size (the number of hosts is --nodes)",
                   &w.iterations,
                   {1},
                   'n'}),
      number_flag({"warmup-iters", "warm-up iterations of each size", &w.warm_up, {0}, 'w'}),
      {.name = "check",
       .value_name = "0|1",
       .help = "compare every value with the exact sum",
       .set =
           [&w](const std::string& text) {
             if (text != "0" && text != "1") {
               throw UsageError("--check must be 0 or 1, not '{}'", text);
             }
             w.check = text == "1";
           },
       .default_text = "1",
       .letter = 'c'},
      {.name = "model",
       .value_name = "NAME|FILE",
       .help = "measure the gradient buckets of this network, or network file, instead of sizes",
       .set =
           [&w](const std::string& text) {
             w.run.model = text;
             load_network(w.run);
             w.of_model = true;
           },
       .letter = 'm'},
      {.name = "network",
       .value_name = "TOML",
       .help = "text of the file of --model, for workers",
       .set = [&w](const std::string& text) { w.run.network = text; },
       .hidden = true},
      {.name = "communicator",
       .value_name = "NAME,...",
       .help = "backends to measure in turn [chosen by where the ranks run]",
       .set = [&w](const std::string& text) { w.backends = backends_in(text); }},
      switch_flag("tune", "measure every algorithm and print the fastest --all-reduce-spec",
                  &w.tune)};
  for (Flag& flag : flags_of_a_run(w)) flags.push_back(std::move(flag));
  return {.command = "allreduce",
          .summary = "Measures all-reduce bandwidth and latency by message size.",
          .flags = std::move(flags)};
}

std::vector<std::string> all_reduce_arguments(const AllReduceOptions& w, const RunConfig& run) {
  std::vector<std::string> words = {fmt::format("--minbytes={}", w.sizes.least_bytes),
                                    fmt::format("--maxbytes={}", w.sizes.most_bytes),
                                    fmt::format("--stepfactor={}", w.sizes.factor),
                                    fmt::format("--iters={}", w.iterations),
                                    fmt::format("--warmup-iters={}", w.warm_up),
                                    fmt::format("--check={}", w.check ? 1 : 0)};
  if (w.of_model) {
    words.push_back("--model=" + w.run.model);
    if (!w.run.network.empty()) words.push_back("--network=" + w.run.network);
  }
  if (w.tune) words.emplace_back("--tune");
  if (!w.backends.empty()) {
    words.push_back(fmt::format("--communicator={}", fmt::join(w.backends, ",")));
  }
  std::ranges::move(taken_arguments(run, kTakenFlags), std::back_inserter(words));
  return words;
}

std::vector<Reduction> reductions_for(const AllReduceOptions& w) {
  if (!w.of_model) return reductions_of(w.sizes);
  const auto bucket_bytes = w.run.bucket_mb ? static_cast<int64_t>(*w.run.bucket_mb * (1 << 20))
                                            : SyncOptions{}.bucket_bytes;
  return reductions_of_model(w.run, bucket_bytes);
}

void check_options(const AllReduceOptions& w) {
  std::vector<std::string> problems;
  if (w.tune && w.of_model) problems.emplace_back("--tune measures sizes; leave out --model");
  if (w.tune && !w.run.all_reduce_spec.empty()) {
    problems.emplace_back("--tune finds the --all-reduce-spec; leave it out");
  }
  if (w.run.bucket_mb && !w.of_model) {
    problems.emplace_back("--bucket-mb requires --model");
  }
  if (w.tune && w.backends.size() > 1) {
    problems.emplace_back("--tune measures one backend; give one name to --communicator");
  }
  const bool on_gpus = w.run.device != "cpu";
  const bool nccl = std::ranges::count(w.backends, kNccl) > 0;
  if (nccl && !on_gpus) problems.emplace_back("--communicator nccl requires --device gpu");
  if (on_gpus && !nccl && !w.backends.empty()) {
    problems.emplace_back("--device: only --communicator nccl works in GPU memory; leave one out");
  }
  if (on_gpus &&
      (w.tune || !w.run.all_reduce_spec.empty() || w.run.gradient_compression != "none")) {
    problems.emplace_back(
        "--tune, --all-reduce-spec and --gradient-compression work in host memory; leave out "
        "--device");
  }
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
  if (!w.run.all_reduce_spec.empty()) parse_all_reduce_spec(w.run.all_reduce_spec);
  reductions_for(w);
  const std::string why = w.run.result.empty() ? "" : why_unwritable(w.run.result);
  if (!why.empty()) throw UsageError("cannot write --result {}: {}", w.run.result, why);
}

}  // namespace lockstep
