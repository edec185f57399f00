// foreign_flags.h: flags of tf_cnn_benchmarks that have nothing to set here.
//
// Job scripts written for it carry flags of TensorFlow's own machinery. Those that cannot change
// what is measured are passed over with a note, so that the scripts keep working.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep {

struct KnownArguments {
  std::vector<std::string> arguments;  // the rest, in order
  std::vector<std::string> passed_over;
};

KnownArguments without_foreign_flags(std::span<const std::string> arguments);

}  // namespace lockstep
