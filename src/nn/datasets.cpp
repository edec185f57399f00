#include "nn/datasets.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {

const Dataset& find_dataset(std::string_view name) {
  const auto found = std::ranges::find(kDatasets, name, &Dataset::name);
  if (found != std::end(kDatasets)) return *found;
  std::vector<std::string> names;
  for (const Dataset& dataset : kDatasets) names.emplace_back(dataset.name);
  const std::string near = closest(name, names);
  throw UsageError("unknown data set '{}'; use one of {}{}", name, fmt::join(names, ", "),
                   near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

}  // namespace lockstep
