// colour.h: random colour changes of --distortions, as in tf_cnn_benchmarks: brightness, contrast,
// and saturation and hue in YIQ space.
//
// Each of the three is linear in the pixel once the mean colour of the image is known. So all of
// them are one matrix and one pass over the image.
#pragma once

#include "base/random.h"
#include "data/pixels/pixel_kernels.h"

namespace lockstep {

struct ColourChange {
  double brightness = 0;        // added
  double contrast = 1;          // of the distance from the mean
  double saturation = 1;        // of the distance from grey
  double hue = 0;               // radians, around the grey axis of YIQ
  bool contrast_first = false;  // before saturation and hue, after brightness
};

// +-32/255, 0.5 to 1.5, 0.5 to 1.5, +-0.2 pi; every other place of a batch takes contrast first.
ColourChange random_colour_change(const RandomStream& random, int place_in_batch);

// For pixels of 0 to `white`: the result is in units of white. `means`: of the three planes.
ColourMatrix colour_matrix(const ColourChange& change, const std::array<double, 3>& means,
                           double white);

}  // namespace lockstep
