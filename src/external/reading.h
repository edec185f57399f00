// reading.h: one number of an external program's output.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace lockstep {

struct Reading {
  std::string worker;  // "0", or the group "worker" of the pattern
  std::optional<int64_t> step;
  Seconds time{};  // arrival of the line, since the start
  double images_per_second = 0;
  double rounding = 0;  // how far rounding may have moved it
  std::optional<double> loss = {};
};

using ReadingsByWorker = std::map<std::string, std::vector<Reading>>;

}  // namespace lockstep
