// csv.h: lines of comma-separated values (RFC 4180).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "measure/two_samples.h"

namespace lockstep {

std::string csv_line(std::span<const std::string> cells);  // with its end

// Six digits; empty: unknown.
std::string csv_number(std::optional<double> value);

}  // namespace lockstep
