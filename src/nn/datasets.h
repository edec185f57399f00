// datasets.h: what training needs to know of a data set without reading it. Epochs and learning
// rates count its examples even when the images are synthetic.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep {

struct Dataset {
  std::string_view name;
  int64_t training_examples;
  int64_t validation_examples;
  int classes;         // outputs of a network's classifier, by default
  int unused_classes;  // the last of them, which no synthetic label names
};

// imagenet: class 0 is 'background', labels are 1..1000. cifar10: labels are 0..9, one output is
// never used. Both as the established benchmark has them, so that sizes compare, and so are the
// synthetic labels: 0..999 and 0..9.
inline constexpr Dataset kDatasets[] = {
    {"imagenet", 1281167, 50000, 1001, 1},
    {"cifar10", 50000, 10000, 11, 1},
    {"mnist", 60000, 10000, 10, 0},
};
inline std::span<const Dataset> datasets() { return kDatasets; }

// Throws UsageError with the names there are.
const Dataset& find_dataset(std::string_view name);

}  // namespace lockstep
