// bundled_program.h: starts another program of the same bundle, such as that of lockstep-torch.
//
// A wheel puts NAME-program beside the bundle's own files, and NAME.torch-version where it needs
// the torch of the same Python environment: one version, whose libraries it loads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/context.h"

namespace lockstep {

// How a process becomes that program.
struct BundledStart {
  std::string torch;               // the directory `torch` that it uses; empty: it needs none
  std::vector<std::string> words;  // the loader and its options; the program's own words follow
};

// Throws UsageError, in one line, unless the torch that it was built for is there.
BundledStart bundled_start(const Context& context, std::string_view name);

}  // namespace lockstep
