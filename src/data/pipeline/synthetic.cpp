#include "data/pipeline/synthetic.h"

#include <cassert>

namespace lockstep {
namespace {

constexpr uint64_t kImages = 0x696d6167, kLabels = 0x6c616265;  // streams of random numbers

int64_t batch_bytes(const SyntheticOptions& options) {
  return options.batch * options.image.elements() * static_cast<int64_t>(sizeof(float));
}

// Channel planes to pixels, in place.
void interleave(std::span<float> image, int64_t channels) {
  const std::vector<float> planes(image.begin(), image.end());
  const int64_t pixels = static_cast<int64_t>(image.size()) / channels;
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (int64_t channel = 0; channel < channels; ++channel) {
      image[pixel * channels + channel] = planes[channel * pixels + pixel];
    }
  }
}

}  // namespace

SyntheticSource::SyntheticSource(const SyntheticOptions& options)
    : images_(batch_bytes(options)),
      labels_(options.batch),
      batch_{.images = images_.floats(), .labels = labels_},
      label_random_(options.seed, kLabels),
      label_count_(static_cast<uint64_t>(options.labels)),
      first_(static_cast<uint64_t>(options.taken)),
      drawn_(first_) {
  assert(options.labels > 0);
  fill_truncated_normal(images_.floats(), RandomStream(options.seed, kImages), 127, 60);
  if (options.layout == ImageLayout::Nchw) return;
  const int64_t size = options.image.elements();
  for (int i = 0; i < options.batch; ++i) {
    interleave(images_.floats().subspan(i * size, size), options.image.channels());
  }
}

const Batch& SyntheticSource::next() {
  batch_.same_images = drawn_ > first_;
  for (int32_t& label : labels_) {
    label = static_cast<int32_t>(label_random_.bits(drawn_++) % label_count_);
  }
  return batch_;
}

}  // namespace lockstep
