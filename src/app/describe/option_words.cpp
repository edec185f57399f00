#include "app/describe/option_words.h"

#include <algorithm>

#include "app/command_words.h"
#include "base/text.h"
#include "framework/frameworks.h"
#include "nn/zoo.h"
#include "sim/cluster/ready_clusters.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

Words model_names() {
  Words names;
  for (const Model& model : models()) names.push_back(model.name);
  return names;
}

Words strategy_names() {
  Words names;
  for (const StrategyKind& kind : strategies()) names.emplace_back(kind.name);
  return names;
}

Words framework_names() {
  Words names;
  for (const Framework& framework : frameworks()) names.emplace_back(framework.name);
  return names;
}

// Options whose words are rows of a table, which their help does not list.
struct Family {
  std::string_view option;
  Words (*words)();
  OptionValues values;
};
constexpr Family kFamilies[] = {
    {"model", model_names, OptionValues::WordsOrFile},
    {"models", model_names, OptionValues::WordsOrFile},
    {"variable-update", strategy_names, OptionValues::Words},
    {"cluster", ready_cluster_names, OptionValues::WordsOrFile},
    {"framework", framework_names, OptionValues::WordsOrFile},
};

constexpr std::string_view kPlaceholders[] = {"DIR", "LIST", "NAME"};

// A word of the help that stands for others: FILE.toml, cuda:N, NAME[:MODE].
bool is_placeholder(const std::string& word) {
  return std::ranges::count(kPlaceholders, word) > 0 || word.find("FILE") != std::string::npos ||
         word.ends_with(":N") || word.find('[') != std::string::npos;
}

// "a|b,..." lists the words of an option.
Words words_in(std::string value_name) {
  if (value_name.ends_with(",...")) value_name.resize(value_name.size() - 4);
  if (value_name.find('|') == std::string::npos) return {};
  Words words = split(value_name, '|');
  std::erase_if(words, is_placeholder);
  return words;
}

}  // namespace

OptionWords words_for(const Flag& flag) {
  if (is_switch(flag)) return {OptionValues::None};
  const auto* family = std::ranges::find(kFamilies, flag.name, &Family::option);
  if (family != std::end(kFamilies)) return {family->values, family->words()};
  const Words words = words_in(flag.value_name);
  const bool file = flag.value_name.find("FILE") != std::string::npos;
  if (!words.empty()) return {file ? OptionValues::WordsOrFile : OptionValues::Words, words};
  if (file) return {OptionValues::File};
  return {flag.value_name == "DIR" ? OptionValues::Directory : OptionValues::Any};
}

}  // namespace lockstep
