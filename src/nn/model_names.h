// model_names.h: canonical model names, and names close to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// The spelling that names are compared in. Case, dashes, underscores and the letter v before a
// number do not count, except that numbers which were apart stay apart: Inceptionv3, inception-v3
// and inception3 are one; resnet50_v2 and ResNet50v2 are one, but not resnet502. Version 1 is the
// plain name.
std::string canonical_name(std::string_view name);

// The members of `names` that take the fewest edits to become `name`: at most three, nearest
// first, none that is not plausible.
std::vector<std::string> close_names(std::string_view name, std::span<const std::string> names);

}  // namespace lockstep
