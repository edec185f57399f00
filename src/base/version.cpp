#include "base/version.h"

namespace lockstep {

std::string program_version() { return LOCKSTEP_VERSION; }

}  // namespace lockstep
