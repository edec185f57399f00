#include "config/problems.h"

#include <fmt/format.h>

#include <string_view>

namespace lockstep {
namespace {

struct Rule {
  bool (*broken)(const RunConfig&);
  std::string_view line;
};

bool needs_cluster(const RunConfig& run) {
  return run.variable_update.starts_with("distributed_") ||
         run.variable_update == "collective_all_reduce";
}

constexpr Rule kRules[] = {
    {[](const RunConfig& run) { return run.num_batches && run.num_epochs; },
     "--num-batches and --num-epochs both say how long to train; give one of them"},
    {[](const RunConfig& run) { return run.num_epochs && *run.num_epochs <= 0; },
     "--num-epochs must be above 0"},
    {[](const RunConfig& run) { return !run.trace_file.empty() && run.num_warmup_batches < 2; },
     "--trace-file records the last but one warm-up step: it needs --num-warmup-batches of at "
     "least 2"},
    {[](const RunConfig& run) { return !run.result.empty() && run.result == run.trace_file; },
     "--result and --trace-file name the same file"},
    {[](const RunConfig& run) {
       return !run.benchmark_test_id.empty() && run.benchmark_log_dir.empty();
     },
     "--benchmark-test-id is noted in --benchmark-log-dir, which is not given"},
    {[](const RunConfig& run) { return run.forward_only && run.gradient_clip.has_value(); },
     "--gradient-clip has no gradients to clip with --forward-only"},
    {[](const RunConfig& run) { return run.forward_only && run.aux_head; },
     "--aux-head only adds to the loss, which --forward-only does not compute"},
    {[](const RunConfig& run) { return run.data_dir.empty() && (run.cache || run.skip_corrupt); },
     "--cache and --skip-corrupt are about the data set of --data-dir, which is not given"},
    {[](const RunConfig& run) {
       return !run.data_dir.empty() && run.synthetic_location != "device";
     },
     "--synthetic-location is about made-up images; with --data-dir there are none"},
    {[](const RunConfig& run) {
       return run.program.empty() && (!run.program_dir.empty() || run.program_timeout);
     },
     "--program-dir and --program-timeout are about the --program, which is not given"},
    {[](const RunConfig& run) { return run.program.empty() && !run.log_dir.empty(); },
     "--log-dir keeps what a --program prints, and none is given"},
    {[](const RunConfig& run) { return !run.program.empty() && run.num_epochs.has_value(); },
     "--num-epochs: a --program is told its --num-batches"},
};

void check_devices(const RunConfig& run, std::vector<std::string>& problems) {
  if (run.num_devices > 1) {
    problems.push_back(fmt::format(
        "--num-devices {}: this version trains on one device; use --num-devices 1 with --threads",
        run.num_devices));
  }
  if (needs_cluster(run)) {
    problems.push_back(
        fmt::format("--variable-update {} needs several workers; on one device use independent",
                    run.variable_update));
  }
}

}  // namespace

std::vector<std::string> problems_in(const RunConfig& run) {
  std::vector<std::string> problems;
  for (const Rule& rule : kRules) {
    if (rule.broken(run)) problems.emplace_back(rule.line);
  }
  if (run.program.empty()) check_devices(run, problems);  // a program knows best what it can
  return problems;
}

}  // namespace lockstep
