// result_on_stdout.h: --result - and --json: stdout holds the result as JSON and nothing else.
#pragma once

#include <functional>

#include "app/options.h"
#include "config/run_config.h"
#include "run/run_context.h"

namespace lockstep {

// --json of commands that have --result.
Flag result_as_json_flag(bool* json);
// Makes `result` what --result - would. Throws UsageError if it is a file.
void choose_stdout(std::string& result);

// Runs with a temporary file as config.result and with stderr in place of stdout, then copies that
// file to stdout. Returns what `run` returned.
int with_result_on_stdout(RunContext& context, RunConfig& config,
                          const std::function<int(RunContext&)>& run);

}  // namespace lockstep
