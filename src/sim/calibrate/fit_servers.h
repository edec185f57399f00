// fit_servers.h: what runs with parameter servers say about them.
#pragma once

#include <optional>

#include "sim/calibrate/calibration.h"

namespace lockstep {

struct ServerFit {
  double interference = 0;  // part of the pushes' time by which backward beside them is slower
  // Of a server; on one node, of the memory between it and its workers. Empty: the run did not wait
  // for it.
  std::optional<double> gbyte = {};
  double residual = 0;  // of what the run with servers waited
  // A worker's wait for each variable; empty: the runs do not tell it from the rate.
  std::optional<double> request_us = {};
  double request_residual = 0;
};

// From what workers waited for communication. A network of large variables shows the rate of a
// server, one of many small variables the wait for each.
ServerFit fit_servers(const Cluster& cluster, const CalibrationRuns& runs);

}  // namespace lockstep
