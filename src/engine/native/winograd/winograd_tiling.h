// winograd_tiling.h: the number of outputs per Winograd tile, for each kernel shape.
//
// Along an axis, a tile of `outputs` outputs needs raw = outputs + taps - 1 inputs, and as many
// products. More outputs save more products and lose more precision: six points in both
// dimensions, or eight in one, stay near the error of direct convolution.
#pragma once

#include <optional>

#include "nn/layers.h"

namespace lockstep::native::winograd {

struct Axis {
  int taps, outputs;
  constexpr int raw() const { return taps + outputs - 1; }
  bool operator==(const Axis&) const = default;
};

struct Tiling {
  Axis rows, columns;
  constexpr int points() const { return rows.raw() * columns.raw(); }
  constexpr int taps() const { return rows.taps * columns.taps; }
  bool operator==(const Tiling&) const = default;
};

inline constexpr Axis kNone = {1, 1}, kThree = {3, 4}, kFive = {5, 2}, kSeven = {7, 2};
inline constexpr Tiling kTilings[] = {{kThree, kThree}, {kFive, kFive},  {kNone, kThree},
                                      {kThree, kNone},  {kNone, kSeven}, {kSeven, kNone}};

constexpr std::optional<Tiling> tiling_for(Extent kernel) {
  for (const Tiling& tiling : kTilings) {
    if (tiling.rows.taps == kernel.height && tiling.columns.taps == kernel.width) return tiling;
  }
  return {};
}

}  // namespace lockstep::native::winograd
