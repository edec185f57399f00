// datasets.h: the data sets a run can be about, and their sizes. Epochs and learning rates count
// by these sizes even when the images are synthetic.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct Dataset {
  std::string_view name;
  int num_classes;     // of the last layer
  int unused_classes;  // at the end of them, which synthetic labels leave out
  int training_examples;
};

std::span<const Dataset> datasets();
std::vector<std::string> dataset_names();
const Dataset& find_dataset(std::string_view name);  // throws UsageError when there is none

}  // namespace lockstep
