#include "app/flags.h"

#include <type_traits>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

std::string limits(const WholeRange& range) {
  return range.most == WholeRange{}.most ? fmt::format("of at least {}", range.least)
                                         : fmt::format("from {} to {}", range.least, range.most);
}

bool holds(const WholeRange& range, int64_t number) {
  return number >= range.least && number <= range.most;
}

std::string default_of(const NumberFlag& flag) {
  const std::optional<int64_t> number =
      std::visit([](const auto* value) { return std::optional<int64_t>(*value); }, flag.value);
  return number && holds(flag.range, *number) ? std::to_string(*number) : "";
}

void assign(const NumberFlag& flag, int64_t number) {
  std::visit(
      [&](auto* value) {
        constexpr bool kWide = std::is_same_v<decltype(value), int64_t*>;
        *value = static_cast<std::conditional_t<kWide, int64_t, int>>(number);
      },
      flag.value);
}

}  // namespace

int64_t whole_in(const std::string& option, const std::string& text, const WholeRange& range) {
  const auto number = whole_number(text);
  if (!number || !holds(range, *number)) {
    throw UsageError("--{} must be a whole number {}, not '{}'", option, limits(range), text);
  }
  return *number;
}

Flag number_flag(const NumberFlag& number) {
  return {.name = number.name,
          .value_name = "N",
          .help = number.help,
          .set =
              [number](const std::string& text) {
                assign(number, whole_in(number.name, text, number.range));
              },
          .default_text = default_of(number),
          .letter = number.letter};
}

Flag switch_flag(const std::string& name, const std::string& help, bool* value) {
  return {.name = name, .value_name = "", .help = help, .set = [value](const std::string& on) {
            *value = on == "true";
          }};
}

Flag text_flag(const TextFlag& text) {
  return {.name = text.name,
          .value_name = text.value_name,
          .help = text.help,
          .set = [value = text.value](const std::string& given) { *value = given; },
          .default_text = *text.value};
}

Flag threshold_flag(double* value) {
  return {.name = "threshold",
          .value_name = "X%",
          .help = "smallest relative difference that counts",
          .set = [value](const std::string& text) { *value = fraction_in("threshold", text); },
          .default_text = fmt::format("{:g}%", 100 * *value)};
}

}  // namespace lockstep
