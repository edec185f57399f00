#include "run/framework/same_network.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::vector<float> next_row(std::ifstream& file, int64_t size) {
  std::vector<float> row(static_cast<size_t>(size));
  file.read(reinterpret_cast<char*>(row.data()), std::ssize(row) * std::streamsize{sizeof(float)});
  return row;
}

struct Lengths {
  double difference = 0, native = 0;
};
Lengths lengths_of(std::span<const float> native, std::span<const float> theirs) {
  double difference = 0, squares = 0;
  for (size_t i = 0; i < native.size(); ++i) {
    const double delta = static_cast<double>(theirs[i]) - native[i];
    difference += delta * delta;
    squares += static_cast<double>(native[i]) * native[i];
  }
  return {std::sqrt(difference), std::sqrt(squares)};
}

// What is left of a difference beyond the last bit of values that were rounded in every step.
double beyond_rounding(const Lengths& lengths, size_t steps) {
  const double rounding = std::numeric_limits<float>::epsilon() * lengths.native;
  const double rest = lengths.difference - static_cast<double>(steps) * rounding;
  return rest <= 0 ? 0 : rest;  // NaN stays
}

double part_of(double difference, double moved) { return difference == 0 ? 0 : difference / moved; }

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

double same_values(const Framework& framework, const NativeCheck& native,
                   const std::filesystem::path& theirs) {
  std::ifstream our_file(native.values, std::ios::binary), their_file(theirs, std::ios::binary);
  double largest = 0;
  for (size_t step = 0; step < native.losses.size(); ++step) {
    for (const CheckedRow& row : native.rows) {
      const std::vector<float> ours = next_row(our_file, row.size);
      const std::vector<float> other = next_row(their_file, row.size);
      if (!our_file || !their_file) throw Error("{} ends before {}", theirs.string(), row.name);
      const Lengths lengths = lengths_of(ours, other);
      const double part = part_of(beyond_rounding(lengths, step + 1), row.moved[step]);
      if (!(part <= kSameGradient)) {  // nor NaN
        throw Error(
            "{} does not train the same network: after step {}, {} differs by {:.2g} of its change",
            framework.title, step + 1, row.name, std::isnan(part) ? kNever : part);
      }
      largest = std::max(largest, part_of(lengths.difference, row.moved[step]));
    }
  }
  return largest;
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
