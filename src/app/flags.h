// flags.h: the kinds of flag that many commands have. Each writes into a value that outlives the
// parsing, and shows what that value is beforehand as its default.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "app/options.h"

namespace lockstep {

struct WholeRange {
  int64_t least = 0;
  int64_t most = 1'000'000'000;  // unless it is this, the complaint names it
};

// Throws UsageError that names the option.
int64_t whole_in(const std::string& option, const std::string& text, const WholeRange& range);

// A value outside the range beforehand means that something else decides: no default is shown.
struct NumberFlag {
  std::string name, help;
  std::variant<int*, int64_t*, std::optional<int>*> value;
  WholeRange range = {};
  char letter = 0;
};
Flag number_flag(const NumberFlag& number);

Flag switch_flag(const std::string& name, const std::string& help, bool* value);

struct TextFlag {
  std::string name, value_name, help;
  std::string* value;
};
Flag text_flag(const TextFlag& text);

// --threshold of commands that compare: "2%" or "0.02".
Flag threshold_flag(double* value);

}  // namespace lockstep
