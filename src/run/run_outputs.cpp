#include "run/run_outputs.h"

#include <filesystem>
#include <ostream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "report/render/output_lines.h"
#include "report/render/profile.h"
#include "report/results/benchmark_log.h"
#include "run/layer_table.h"
#include "train/checkpoint_files.h"

namespace lockstep {

void check_outputs(const RunConfig& run) {
  const std::pair<const char*, const std::string&> files[] = {{"result", run.result},
                                                              {"trace-file", run.trace_file},
                                                              {"profile-file", run.profile_file},
                                                              {"graph-file", run.graph_file}};
  for (const auto& [option, path] : files) {
    const std::string why = path.empty() ? "" : why_unwritable(path);
    if (!why.empty()) throw UsageError("cannot write --{} {}: {}", option, path, why);
  }
  if (!run.benchmark_log_dir.empty()) {
    const BenchmarkLog only_looks(run.benchmark_log_dir);
  }
}

void check_directories(const RunConfig& run) {
  if (!run.train_dir.empty() && !run.eval) {
    const CheckpointWriter only_looks(run.train_dir, 0);
    lock_train_dir(run.train_dir);
  }
  if (run.summary_dir.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(run.summary_dir, error);
  const std::string why =
      error ? error.message() : why_unwritable(run.summary_dir + "/events.out.tfevents");
  if (!why.empty()) throw UsageError("cannot write to --summary-dir {}: {}", run.summary_dir, why);
}

void write_outputs(const RunPlan& plan, const MeasuredRun& run, Context& context) {
  const RunConfig& config = plan.config;
  if (!config.result.empty()) {
    write_result(config.result, run.result);
    const std::string line = result_line(config.result);
    if (!line.empty()) context.err << line << "\n";
  }
  // Whoever parses the output of tf_cnn_benchmarks expects nothing after the total.
  std::ostream& told = config.output_format == "lockstep" ? context.out : context.err;
  const bool traced = !run.traces.empty() && !run.traces.front().layers.empty();
  if (!config.trace_file.empty() && traced) {
    told << trace_line(config.trace_file) << "\n";
    write_whole_file(config.trace_file, chrome_trace("lockstep " + plan.facts.model, run.traces));
  }
  if (!config.graph_file.empty()) {
    write_whole_file(config.graph_file, graph_file_text(config.graph_file, plan.graph));
    context.err << result_line(config.graph_file) << "\n";
  }
  if (!config.profile || run.result.steps.empty()) return;
  const Seconds step{mean(durations(run.result.steps))};
  const auto table = [&](TableWidth width) {
    return profile_table(run.result.ops, plan.facts.batch_size, step, width);
  };
  told << table(TableWidth::Terminal);
  if (!config.profile_file.empty()) {
    write_whole_file(config.profile_file, table(TableWidth::Wide));
    context.err << result_line(config.profile_file) << "\n";
  }
}

}  // namespace lockstep
