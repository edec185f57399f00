// batch_presets.h: named sets of batch sizes, to repeat measurements that others published.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct PresetBatch {
  std::string_view model;  // a name of nn/zoo.h
  int batch_size;          // per device
};
struct BatchPreset {
  std::string_view name;
  std::span<const PresetBatch> batches;
};
std::span<const BatchPreset> batch_presets();

// Throws UsageError with a close name, or all names.
const BatchPreset& find_batch_preset(std::string_view name);

// "aws-p2: inception3:32, alexnet:512; ..." for help.
std::string batch_presets_text();

// Entries of --models: those without a batch size get that of the preset. A network that the preset
// lacks stays as it is, with a note. Throws UsageError for an unknown network.
std::vector<std::string> with_preset(const std::vector<std::string>& entries,
                                     const BatchPreset& preset, std::vector<std::string>& notes);

}  // namespace lockstep
