// benchmark_log.h: metric.log and benchmark_run.log, the two files that collectors of
// tf_cnn_benchmarks results read from --benchmark-log-dir.
#pragma once

#include <chrono>
#include <string>

#include "base/utc_text.h"
#include "report/results/run_result.h"

namespace lockstep {

// One line of metric.log.
std::string metric_line(const std::string& name, double value, int64_t global_step, WallTime time);

// The whole of benchmark_run.log.
std::string benchmark_run_text(const RunResult& result, double epochs);

// Appends to metric.log and rewrites benchmark_run.log. Creates the directory if needed.
class BenchmarkLog {
 public:
  explicit BenchmarkLog(std::string directory);  // throws Error if it cannot be written

  void run(const RunResult& result, double epochs);
  void metric(const std::string& name, double value, int64_t global_step);

 private:
  std::string directory_;
};

}  // namespace lockstep
