#include "data/pixels/colour.h"

#include <cmath>
#include <numbers>

namespace lockstep {
namespace {

using Matrix = std::array<std::array<double, 4>, 3>;  // the last column is added

// NTSC's YIQ and its inverse.
constexpr Matrix kToYiq = {
    {{0.299, 0.587, 0.114, 0}, {0.596, -0.274, -0.322, 0}, {0.211, -0.523, 0.312, 0}}};
constexpr Matrix kFromYiq = {{{1, 0.956, 0.621, 0}, {1, -0.272, -0.647, 0}, {1, -1.106, 1.703, 0}}};

// First `inner`, then `outer`.
Matrix after(const Matrix& outer, const Matrix& inner) {
  Matrix product{};
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 4; ++column) {
      for (size_t k = 0; k < 3; ++k) product[row][column] += outer[row][k] * inner[k][column];
    }
    product[row][3] += outer[row][3];
  }
  return product;
}

std::array<double, 3> applied(const Matrix& matrix, const std::array<double, 3>& colour) {
  std::array<double, 3> result{};
  for (size_t row = 0; row < 3; ++row) {
    result[row] = matrix[row][3];
    for (size_t k = 0; k < 3; ++k) result[row] += matrix[row][k] * colour[k];
  }
  return result;
}

Matrix with_contrast(const Matrix& before, double contrast, const std::array<double, 3>& means) {
  const std::array<double, 3> centre = applied(before, means);
  Matrix change{};
  for (size_t c = 0; c < 3; ++c) {
    change[c][c] = contrast;
    change[c][3] = (1 - contrast) * centre[c];
  }
  return after(change, before);
}

Matrix with_hue_and_saturation(const Matrix& before, const ColourChange& change) {
  const double u = change.saturation * std::cos(change.hue);
  const double w = change.saturation * std::sin(change.hue);
  const Matrix turn = {{{1, 0, 0, 0}, {0, u, -w, 0}, {0, w, u, 0}}};
  return after(after(kFromYiq, after(turn, kToYiq)), before);
}

}  // namespace

ColourChange random_colour_change(const RandomStream& random, int place_in_batch) {
  const auto between = [&](uint64_t draw, double low, double high) {
    return low + (high - low) * random.uniform(draw);
  };
  return {.brightness = between(0, -32.0 / 255, 32.0 / 255),
          .contrast = between(1, 0.5, 1.5),
          .saturation = between(2, 0.5, 1.5),
          .hue = between(3, -0.2, 0.2) * std::numbers::pi,
          .contrast_first = place_in_batch % 2 == 1};
}

ColourMatrix colour_matrix(const ColourChange& change, const std::array<double, 3>& means,
                           double white) {
  Matrix matrix{};
  for (size_t c = 0; c < 3; ++c) {
    matrix[c][c] = 1 / white;
    matrix[c][3] = change.brightness;
  }
  if (change.contrast_first) matrix = with_contrast(matrix, change.contrast, means);
  matrix = with_hue_and_saturation(matrix, change);
  if (!change.contrast_first) matrix = with_contrast(matrix, change.contrast, means);
  ColourMatrix result{};
  for (size_t row = 0; row < 3; ++row) {
    for (size_t k = 0; k < 4; ++k) result[row][k] = static_cast<float>(matrix[row][k]);
  }
  return result;
}

}  // namespace lockstep
