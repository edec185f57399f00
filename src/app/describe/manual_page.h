// manual_page.h: manual pages in roff, made from the tables of commands and options.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"

namespace lockstep {

// "lockstep-train.1", "lockstep-data-pack.1"
std::string manual_file(const CommandSyntax& command);

std::string manual_page(const CommandSyntax& command);
// lockstep.1: all commands, exit codes, files and variables.
std::string manual_overview(const std::vector<CommandSyntax>& commands);

}  // namespace lockstep
