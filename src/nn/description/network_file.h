// network_file.h: networks that users describe in TOML files (docs/networks.md).
//
// A file is read once, where the user names it. From then on its text travels in the configuration
// of the run, to workers on every host and into the result, so a run needs no file.
#pragma once

#include <string>
#include <string_view>

#include "config/run_config.h"
#include "nn/zoo.h"

namespace lockstep {

inline constexpr int64_t kLargestNetworkFile = 64 << 10;  // it is an argument of every worker

// Whether a name of --model means a file: it ends with .toml.
bool is_network_file(std::string_view name);

// The network that a text describes; `source` and its stem, unless the text has a name, are for
// messages and tables. Throws UsageError with all problems, each with line and layer.
Model described_model(const std::string& text, const std::string& source);

// A network of the zoo, or of a file. Throws UsageError.
Model model_named(const std::string& name);

// The network of a run. Throws UsageError.
Model model_of(const RunConfig& run);

// Replaces a file that the run names as its network by what is in it. Throws UsageError.
void load_network(RunConfig& run);

}  // namespace lockstep
