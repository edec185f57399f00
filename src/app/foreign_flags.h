// foreign_flags.h: flags of tf_cnn_benchmarks that are no options here.
//
// Job scripts written for it carry flags of TensorFlow's own machinery. Those that cannot change
// what is measured are passed over with a note, so that the scripts keep working. Those that ask
// for something that is not there are refused with the reason, and with what comes closest.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep {

struct KnownArguments {
  std::vector<std::string> arguments;    // the rest, in order
  std::vector<std::string> passed_over;  // names
  std::vector<std::string> refused;      // lines
};

KnownArguments without_foreign_flags(std::span<const std::string> arguments);

}  // namespace lockstep
