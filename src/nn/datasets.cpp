#include "nn/datasets.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace lockstep {

const Dataset& find_dataset(std::string_view name) {
  const auto found = std::ranges::find(kDatasets, name, &Dataset::name);
  if (found != std::end(kDatasets)) return *found;
  std::vector<std::string_view> names;
  for (const Dataset& dataset : kDatasets) names.push_back(dataset.name);
  throw UsageError("unknown data set '{}'; use one of {}", name, fmt::join(names, ", "));
}

}  // namespace lockstep
