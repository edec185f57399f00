// toml_text.h: the only place that includes toml++ and turns text into a TOML table.
//
// toml++ 3.3 ends the program with an assertion for some damaged files, '[)' for one, and where
// assertions are off their conditions are promises to the compiler. Here a failed assertion is an
// exception like any other error, in every build. So a damaged file gives one line, and never more.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

[[noreturn]] void refuse_damaged_toml();

}  // namespace lockstep

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_MAX_NESTED_VALUES 64
#define TOML_ASSERT(condition) ((condition) ? void() : ::lockstep::refuse_damaged_toml())
#pragma push_macro("NDEBUG")
#undef NDEBUG  // with it toml++ ignores TOML_ASSERT
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace lockstep {

// Throws UsageError "SOURCE:LINE: REASON".
toml::table toml_in(std::string_view text, const std::string& source);

}  // namespace lockstep
