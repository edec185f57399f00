// foreign_flags.h: flags of tf_cnn_benchmarks that lockstep does not have.
//
// Job scripts written for it set flags that configure TensorFlow. Flags that cannot change what is
// measured are ignored with a note, so that these scripts keep working. Flags that ask for
// something not supported are refused with the reason and the closest alternative.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep {

struct KnownArguments {
  std::vector<std::string> arguments;  // the rest, in order
  std::vector<std::string> ignored;    // names of ignored flags
  std::vector<std::string> refused;    // lines
};

KnownArguments without_foreign_flags(std::span<const std::string> arguments);

}  // namespace lockstep
