#include "engine/native/fold.h"

#include <cmath>

namespace lockstep::native {

void fold_norm(const BatchNorm& layer, const NormState& state, const float* gamma,
               const float* beta, std::span<float> weights, std::span<float> bias) {
  const size_t per_channel = weights.size() / bias.size();
  for (size_t c = 0; c < bias.size(); ++c) {
    const double sigma = std::sqrt(state.variance[c] + layer.epsilon);
    const double scale = (gamma ? gamma[c] : 1.0) / sigma;
    for (size_t i = c * per_channel; i < (c + 1) * per_channel; ++i) {
      weights[i] = static_cast<float>(weights[i] * scale);
    }
    bias[c] = static_cast<float>(beta[c] + (bias[c] - state.mean[c]) * scale);
  }
}

}  // namespace lockstep::native
