#include "config/run_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

std::string range_text(Range range) {
  const bool low = range.least > Range{}.least, high = range.most < Range{}.most;
  if (low && high) return fmt::format(" from {} to {}", range.least, range.most);
  if (low) return fmt::format(" of at least {}", range.least);
  return high ? fmt::format(" of at most {}", range.most) : "";
}

bool inside(Range range, double number) { return range.least <= number && number <= range.most; }

[[noreturn]] void refuse(const RunOption& option, std::string_view wanted, std::string_view text,
                         const std::string& meant = "") {
  const std::string& note = option.details.choices_note;
  throw UsageError("--{} must be {}, not '{}'{}{}{}", option.name, wanted, text,
                   meant.empty() ? "" : fmt::format("; did you mean {}?", meant),
                   note.empty() ? "" : "; ", note);
}

void read(const RunOption& option, std::string_view text, bool& value) {
  const std::string word = lower_case(text);
  for (const std::string_view yes : {"true", "t", "yes", "y", "1"}) {
    if (word == yes) return void(value = true);
  }
  for (const std::string_view no : {"false", "f", "no", "n", "0"}) {
    if (word == no) return void(value = false);
  }
  refuse(option, "true or false", text);
}

void read(const RunOption& option, std::string_view text, int& value) {
  const auto number = whole_number(text);
  const bool fits = number && *number == static_cast<int>(*number) &&
                    inside(option.details.range, static_cast<double>(*number));
  if (!fits) refuse(option, "a whole number" + range_text(option.details.range), text);
  value = static_cast<int>(*number);
}

void read(const RunOption& option, std::string_view text, double& value) {
  const bool percent = option.details.is_part && text.ends_with('%');
  auto number = finite_number(percent ? text.substr(0, text.size() - 1) : text);
  if (number && percent) *number /= 100;
  if (!number || !inside(option.details.range, *number)) {
    refuse(option,
           option.details.is_part ? "a fraction such as 2% or 0.02"
                                  : "a number" + range_text(option.details.range),
           text);
  }
  value = *number;
}

// The text spelled as the choice is; empty when it is another. "cuda:N" allows "cuda:2".
std::string as_choice(const std::string& choice, std::string_view text) {
  if (lower_case(choice) == lower_case(text)) return choice;
  const std::string stem = choice.substr(0, choice.size() - 1);
  if (choice != stem + 'N' || !lower_case(text).starts_with(lower_case(stem))) return "";
  const auto number = whole_number(text.substr(stem.size()));
  return number && *number >= 0 ? fmt::format("{}{}", stem, *number) : "";
}

// The choice that the text names; empty when there is none.
std::string named_choice(const RunOption& option, std::span<const std::string> choices,
                         std::string_view text) {
  for (const auto& [word, choice] : option.details.value_aliases) {
    if (lower_case(word) == lower_case(text)) return choice;
  }
  for (const std::string& choice : choices) {
    std::string chosen = as_choice(choice, text);
    if (!chosen.empty()) return chosen;
  }
  return "";
}

// Choices of any option, one after the other: what a sweep takes.
bool is_list_of_choices(const RunOption& option, std::span<const std::string> choices,
                        std::string_view text) {
  const char separator = text.find('/') != std::string_view::npos ? '/' : ',';
  const std::vector<std::string> parts = split(text, separator);
  return parts.size() > 1 && std::ranges::all_of(parts, [&](const std::string& part) {
           return !named_choice(option, choices, part).empty();
         });
}

// What was probably meant; empty: nothing comes close. Two edits of a three-letter word are another
// word.
std::string likely_choice(const RunOption& option, std::span<const std::string> choices,
                          std::string_view text) {
  constexpr size_t kLeast = 4;
  const std::string word = lower_case(text);
  if (word.size() < kLeast) return "";
  std::vector<std::string> names(choices.begin(), choices.end()), lower;
  for (const auto& [alias, choice] : option.details.value_aliases) names.emplace_back(alias);
  for (const std::string& name : names) {
    lower.push_back(lower_case(name));
    if (lower.back().starts_with(word)) return name;
  }
  const auto found = std::ranges::find(lower, closest(word, lower));
  return found == lower.end() ? "" : names[static_cast<size_t>(found - lower.begin())];
}

void read(const RunOption& option, std::string_view text, std::string& value) {
  const bool any = option.details.choices.empty();
  const bool free = any || (text.empty() && option.details.may_be_empty);
  value = free ? std::string(text) : choice_in(option, option.details.choices, text);
}

template <typename T>
void read(const RunOption& option, std::string_view text, std::optional<T>& value) {
  if (text.empty()) return void(value.reset());
  read(option, text, value.emplace());
}

void read(const RunOption&, std::string_view text, std::vector<std::string>& values) {
  for (const std::string& value : split(text, '\n')) {
    if (!value.empty()) values.push_back(value);
  }
}

std::string written(bool value) { return value ? "true" : "false"; }
std::string written(const std::string& value) { return value; }
std::string written(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, "\n"));
}
std::string written(int value) { return fmt::format("{}", value); }
std::string written(double value) { return fmt::format("{}", value); }
template <typename T>
std::string written(const std::optional<T>& value) {
  return value ? written(*value) : "";
}

}  // namespace

std::string choice_in(const RunOption& option, std::span<const std::string> choices,
                      std::string_view text) {
  std::string chosen = named_choice(option, choices, text);
  if (!chosen.empty()) return chosen;
  if (is_list_of_choices(option, choices, text)) {
    throw UsageError("--{} takes one value, not '{}'; 'lockstep sweep' measures lists of values",
                     option.name, text);
  }
  refuse(option, fmt::format("one of {}", fmt::join(choices, ", ")), text,
         likely_choice(option, choices, text));
}

const RunOption* find_option(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  for (const RunOption& option : run_options()) {
    if (option.name == dashed || std::ranges::count(option.details.aliases, dashed)) {
      return &option;
    }
  }
  return nullptr;
}

bool is_identity(const RunOption& option) {
  return !option.details.only_tells && !option.details.only_starts;
}

bool is_switch(const RunOption& option) {
  return std::holds_alternative<bool RunConfig::*>(option.member);
}

bool is_list(const RunOption& option) {
  return std::holds_alternative<std::vector<std::string> RunConfig::*>(option.member);
}

std::string value_name(const RunOption& option) {
  if (is_switch(option)) return "";
  if (!option.details.value_name.empty()) return option.details.value_name;
  if (!option.details.choices.empty())
    return fmt::format("{}", fmt::join(option.details.choices, "|"));
  const bool whole = std::holds_alternative<int RunConfig::*>(option.member) ||
                     std::holds_alternative<std::optional<int> RunConfig::*>(option.member);
  return whole ? "N" : "X";
}

std::string text_of(const RunConfig& run, const RunOption& option) {
  return std::visit([&](auto member) { return written(run.*member); }, option.member);
}

void set_from_text(RunConfig& run, const RunOption& option, std::string_view text) {
  std::visit([&](auto member) { read(option, text, run.*member); }, option.member);
}

}  // namespace lockstep
