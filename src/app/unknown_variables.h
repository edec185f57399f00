// unknown_variables.h: notes on variables LOCKSTEP_* that nothing reads: a slip in the name of one
// would otherwise leave an option at its default unnoticed.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"

namespace lockstep {

// LOCKSTEP_BATCH_SIZE of the option batch-size.
std::string variable_of(std::string_view option);

// One for each of `variables` that is neither that of an option of these commands, nor set or read
// by lockstep or what belongs to it (docs/configuration.md).
std::vector<std::string> notes_on_unknown(const std::vector<std::string>& variables,
                                          const std::vector<CommandSyntax>& commands);

// Whether to print notes: of the processes that one mpirun or srun starts, one does.
bool prints_notes(const Environment& environment);

}  // namespace lockstep
