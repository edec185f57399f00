// console.h: the lines of a run on stdout. Programs have parsed this format for years, so it is
// kept to the letter; whatever else there is to say goes to stderr.
#pragma once

#include <span>
#include <string>

#include "config/run_config.h"
#include "measure/step_meter.h"
#include "report/run_result.h"

namespace lockstep {

// From the version to the line of equals signs.
std::string header_text(const std::string& version, const RunConfig& run, const RunFacts& facts,
                        double epochs);

std::string column_titles(const RunConfig& run);

bool is_shown(const RunConfig& run, int step);  // the first, and every display_every-th
// `steps`: all timed steps so far, the last being the one that the line is about.
std::string step_line(const RunConfig& run, std::span<const StepRecord> steps);

std::string total_block(double images_per_second);

// The loss of the kind that the run reports.
double reported_loss(const RunConfig& run, const StepLosses& losses);

}  // namespace lockstep
