#include "run/framework/same_network.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "run/framework/row_file.h"

namespace lockstep {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// What is left of a difference beyond the last bit of values that were rounded in every step.
double beyond_rounding(double difference, std::span<const float> values, size_t steps) {
  const double rounding = std::numeric_limits<float>::epsilon() * length_of(values);
  const double rest = difference - static_cast<double>(steps) * rounding;
  return rest <= 0 ? 0 : rest;  // NaN stays
}

double part_of(double difference, double moved) { return difference == 0 ? 0 : difference / moved; }

// Absent: too noisy. A row that gradients do not move must stay.
std::optional<double> tolerance_of(const CheckedRow& row, size_t step) {
  if (row.moved[step] == 0) return kSameGradient;
  const double tolerance = kSameGradient + kAboveNoise * row.noise[step] / row.moved[step];
  if (!(tolerance <= kMostTolerance)) return {};
  return tolerance;
}

double nearness(const RowDifference& row) { return row.difference / row.tolerance; }

}  // namespace

double same_losses(const Framework& framework, std::span<const double> native,
                   std::span<const double> theirs) {
  double largest = native.size() == theirs.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(native.size(), theirs.size()); ++i) {
    const double difference = std::fabs(theirs[i] - native[i]) / std::fabs(native[i]);
    largest = std::max(largest, std::isfinite(difference) ? difference : 1);
  }
  if (largest > kSameLoss) {
    throw Error(
        "{} does not train the same network: losses of the first steps are {:.6g} there and "
        "{:.6g} here",
        framework.title, fmt::join(theirs, ", "), fmt::join(native, ", "));
  }
  return largest;
}

ValueCheck same_values(const Framework& framework, const NativeCheck& native,
                       const std::filesystem::path& theirs) {
  RowFile our_file(native.values), their_file(theirs);
  ValueCheck check;
  std::set<std::string> compared;
  for (size_t step = 0; step < native.losses.size(); ++step) {
    for (const CheckedRow& row : native.rows) {
      const std::vector<float> ours = our_file.next(row.size), other = their_file.next(row.size);
      if (our_file.ended() || their_file.ended()) {
        throw Error("{} ends before {}", theirs.string(), row.name);
      }
      const std::optional<double> tolerance = tolerance_of(row, step);
      const double rest = beyond_rounding(distance_between(ours, other), ours, step + 1);
      if (!tolerance && std::isfinite(rest)) continue;
      const RowDifference found{.difference = part_of(rest, row.moved[step]),
                                .tolerance = tolerance.value_or(kMostTolerance)};
      if (!(found.difference <= found.tolerance)) {  // nor NaN
        throw Error(
            "{} does not train the same network: after step {}, {} differs by {:.2g} of its change",
            framework.title, step + 1, row.name,
            std::isnan(found.difference) ? kNever : found.difference);
      }
      compared.insert(row.name);
      if (nearness(found) > nearness(check.nearest)) check.nearest = found;
    }
  }
  check.noisy_rows = static_cast<int>(native.rows.size() - compared.size());
  return check;
}

void require_same_size(const Framework& framework, const RunFacts& facts,
                       const NetworkEvent& network) {
  const auto require = [&](const char* what, int64_t there, int64_t here) {
    if (there == here) return;
    throw Error("{} does not train the same network: {} {} there, {} here", framework.title, there,
                what, here);
  };
  require("parameters", network.parameters, facts.parameters);
  if (network.forward_macs) require("multiply-adds", *network.forward_macs, facts.forward_macs);
}

}  // namespace lockstep
