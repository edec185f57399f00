#include "config/datasets.h"

#include <fmt/ranges.h>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr Dataset kDatasets[] = {
    {.name = "imagenet", .num_classes = 1001, .unused_classes = 1, .training_examples = 1281167},
    {.name = "cifar10", .num_classes = 11, .unused_classes = 1, .training_examples = 50000},
    {.name = "mnist", .num_classes = 10, .unused_classes = 0, .training_examples = 60000},
};

}  // namespace

std::span<const Dataset> datasets() { return kDatasets; }

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const Dataset& dataset : kDatasets) names.emplace_back(dataset.name);
  return names;
}

const Dataset& find_dataset(std::string_view name) {
  for (const Dataset& dataset : kDatasets) {
    if (dataset.name == name) return dataset;
  }
  throw UsageError("there is no data set '{}'; there are {}", name,
                   fmt::join(dataset_names(), ", "));
}

}  // namespace lockstep
