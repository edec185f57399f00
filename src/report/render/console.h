// console.h: the lines of a run on stdout, in the exact format of tf_cnn_benchmarks and tfperftest,
// because existing scripts parse them. The header comes first (run_header.h), a summary last
// (remarks.h); progress and notes go to stderr.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "config/run_config.h"
#include "measure/statistics.h"
#include "measure/step_meter.h"
#include "report/results/run_result.h"

namespace lockstep {

std::string column_titles(const RunConfig& run);

bool is_shown(const RunConfig& run, int step);  // step 1 and every display_every-th
// `times`: all timed steps so far, in seconds; `last`: the step of this line, with the images of
// all workers.
std::string step_line(const RunConfig& run, Samples times, const StepRecord& last);

// One worker's own step: "Worker 2: 2016-11-07 22:58:36.546566: step 30, loss = ...", in local
// time, without a line end.
std::string worker_line(int rank, std::chrono::system_clock::time_point now, int step,
                        const StepRecord& own, double loss);

std::string total_block(double images_per_second);
// Of an evaluation: its throughput while it runs, and its accuracy.
std::string evaluation_step_line(int64_t batch, double examples_per_second);
std::string accuracy_line(const Evaluation& evaluation);
// "Nodes: 2; Devices per node: 2; ..."; empty for one device.
std::string devices_line(const RunConfig& run, const RunFacts& facts, double images_per_second);

// The loss that the run reports.
double reported_loss(const RunConfig& run, const StepLosses& losses);

}  // namespace lockstep
