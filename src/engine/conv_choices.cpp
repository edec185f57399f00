#include "engine/conv_choices.h"

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr std::string_view kBetween = ": ";

}  // namespace

std::string to_text(const ConvChoices& choices) {
  std::string text;
  for (const auto& [work, method] : choices)
    text += fmt::format("{}{}{}\n", method, kBetween, work);
  return text;
}

ConvChoices conv_choices_from_text(std::string_view text) {
  ConvChoices choices;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    const size_t middle = line.find(kBetween);
    if (middle == 0 || middle == std::string::npos || middle + kBetween.size() == line.size()) {
      throw Error("'{}' is not 'METHOD: WORK'", line);
    }
    choices[line.substr(middle + kBetween.size())] = line.substr(0, middle);
  }
  return choices;
}

}  // namespace lockstep
