#include "sweep/batch_presets.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "nn/description/network_file.h"

namespace lockstep {
namespace {

constexpr PresetBatch kAwsP2[] = {{"inception3", 32}, {"alexnet", 512}};
constexpr PresetBatch kAwsG2[] = {{"inception3", 8}, {"alexnet", 128}};
constexpr BatchPreset kPresets[] = {
    {"aws-p2", kAwsP2},
    {"aws-g2", kAwsG2},
};

std::vector<std::string> words_of(const BatchPreset& preset) {
  std::vector<std::string> words;
  for (const PresetBatch& each : preset.batches)
    words.push_back(fmt::format("{}:{}", each.model, each.batch_size));
  return words;
}

}  // namespace

std::span<const BatchPreset> batch_presets() { return kPresets; }

const BatchPreset& find_batch_preset(std::string_view name) {
  std::vector<std::string> names;
  for (const BatchPreset& preset : kPresets) {
    if (preset.name == lower_case(name)) return preset;
    names.emplace_back(preset.name);
  }
  const std::string near = closest(lower_case(name), names);
  throw UsageError("--batch-preset: unknown preset '{}'; {}", name,
                   near.empty() ? fmt::format("use one of {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near));
}

std::string batch_presets_text() {
  std::vector<std::string> lines;
  for (const BatchPreset& preset : kPresets)
    lines.push_back(fmt::format("{}: {}", preset.name, fmt::join(words_of(preset), ", ")));
  return fmt::format("{}", fmt::join(lines, "; "));
}

std::vector<std::string> with_preset(const std::vector<std::string>& entries,
                                     const BatchPreset& preset, std::vector<std::string>& notes) {
  std::vector<std::string> result;
  for (const std::string& entry : entries) {
    result.push_back(entry);
    if (entry.find(':') != std::string::npos) continue;  // an explicit batch size wins
    const Model model = model_named(entry);
    const auto row = std::ranges::find(preset.batches, model.name, &PresetBatch::model);
    if (row != preset.batches.end()) {
      result.back() = fmt::format("{}:{}", model.name, row->batch_size);
    } else {
      notes.push_back(
          fmt::format("--batch-preset {} has no batch size for {}, which uses its default, {}",
                      preset.name, model.name, model.default_batch_size));
    }
  }
  return result;
}

}  // namespace lockstep
