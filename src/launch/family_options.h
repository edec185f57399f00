// family_options.h: options whose values are the rows of a table elsewhere: update strategies,
// communicators, launchers, optimizers. Help and checks read those tables.
#pragma once

#include <string>
#include <vector>

#include "config/run_options.h"

namespace lockstep {

// Like value_name() of config/run_options.h: "auto|local|ssh".
std::string flag_value_name(const RunOption& option);

// Its values are names of a fixed set: no paths, numbers or free texts.
bool has_named_values(const RunOption& option);

// The text, or the row that it names in whatever case. Throws UsageError with the names there are.
std::string canonical_text(const RunOption& option, const std::string& text);

// Like set_from_text(), and the text must name a row. Throws UsageError with the names there are.
void set_option(RunConfig& run, const RunOption& option, const std::string& text);

}  // namespace lockstep
