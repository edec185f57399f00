// run_header.h: the header of a run on stdout: the lines that tf_cnn_benchmarks prints, with the
// values that hold here, and what it does not tell: host, threads and transport.
#pragma once

#include <string>

#include "report/results/run_result.h"

namespace lockstep {

// From the version to the line of equals signs. `started`: configuration, facts and host of the
// run. With --output-format tf_cnn_benchmarks there are no other lines than that program's.
std::string header_text(const RunResult& started, double epochs);

}  // namespace lockstep
