// run_id.h: an identifier of what a run measures, the same on every machine.
//
// The id is a hash of all options that differ from their defaults, by name, but for those that only
// change what is printed (--result, --verbose) or how processes are reached (--ssh-option). A new
// option with a default leaves all ids as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/run_config.h"

namespace lockstep {

// "batch-size=32\nmodel=resnet50\n"; `except`: options that do not matter here.
std::string canonical_text(const RunConfig& run, std::span<const std::string_view> except = {});

std::string hash_text(std::string_view text);  // 16 hexadecimal digits
std::string run_id(const RunConfig& run);      // hash_text(canonical_text(run))

}  // namespace lockstep
