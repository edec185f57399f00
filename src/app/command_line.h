// command_line.h: how a command reads its line: with the defaults of the user's files, and with
// what every command answers itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "run/run_context.h"

namespace lockstep {

// Reads the line of a command. True: it asked for --help or --show-config, which is printed now,
// and there is nothing left to do. Throws UsageError with one line per problem.
bool answered(RunContext& context, const CommandSyntax& syntax,
              std::span<const std::string> arguments);

// The options that it adds to those of every command.
Flag quiet_flag(bool* quiet);
Flag show_config_flag(bool* show);

// The message of an error, with what files and variables set of the options that a line names:
// "... (set by lockstep.toml:3: num-batches=50)". `settings`: as in Provenance.
std::string with_settings(const std::string& message, std::string_view settings);

// The options of every command, for what describes them all. Their flags must not be set.
std::vector<CommandSyntax> all_syntaxes(const RunContext& context);

}  // namespace lockstep
