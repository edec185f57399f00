// config_files.h: the user's own defaults of options (docs/configuration.md).
//
// From the weakest: config.toml in ~/.config/lockstep, lockstep.toml in the working directory,
// variables LOCKSTEP_OPTION_NAME. In a file, options at the top are for every command that has
// them, those in a table [train] for that command.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "run/run_context.h"

namespace lockstep {

struct UserDefaults {
  std::vector<OptionDefault> options = {};  // later ones count more
  std::vector<std::string> notes = {};      // on variables that nothing reads
};
// `wanted`: LOCKSTEP_DEFAULTS, as the user set it. Throws UsageError, with file and line for what
// no command has.
UserDefaults defaults_of_user(const RunContext& context, const std::string& wanted);

// Those in the text of a file.
std::vector<OptionDefault> defaults_in(const std::string& text, const std::string& source,
                                       const std::vector<CommandSyntax>& commands);

}  // namespace lockstep
