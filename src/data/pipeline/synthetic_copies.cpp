#include "data/pipeline/synthetic_copies.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr uint64_t kFreshImages = 0x66726573, kFreshLabels = 0x666c6162;  // streams
constexpr size_t kSlice = 16384;  // floats: too few for starting threads

}  // namespace

CopiedSynthetic::CopiedSynthetic(const SyntheticOptions& options)
    : made_(options), images_(made_.next().images.size_bytes()), batch_{} {}

const Batch& CopiedSynthetic::next() {
  const Batch& made = made_.next();
  std::ranges::copy(made.images, images_.floats().begin());
  batch_ = {.images = images_.floats(), .labels = made.labels};
  return batch_;
}

// Each pixel is random: planes and pixels look alike.
int32_t FreshSynthetic::make(int64_t number, std::span<float> image) {
  const auto index = static_cast<uint64_t>(options_.taken + number);
  const RandomStream slices(options_.seed, kFreshImages ^ RandomStream::mix(index));
  for (size_t begin = 0; begin < image.size(); begin += kSlice) {
    fill_truncated_normal(image.subspan(begin, std::min(kSlice, image.size() - begin)),
                          RandomStream(slices.bits(0), begin), 127, 60);
  }
  const RandomStream labels(options_.seed, kFreshLabels);
  return static_cast<int32_t>(labels.bits(index) % static_cast<uint64_t>(options_.labels));
}

}  // namespace lockstep
