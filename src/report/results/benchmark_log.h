// benchmark_log.h: metric.log and benchmark_run.log, the two files that collectors of
// tf_cnn_benchmarks results read from --benchmark-log-dir.
#pragma once

#include <chrono>
#include <string>

#include "report/results/run_result.h"

namespace lockstep {

using WallTime = std::chrono::system_clock::time_point;
std::string utc_text(WallTime time);  // "2018-01-31T12:34:56.123456Z"

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
