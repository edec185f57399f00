#include "base/host_name.h"

#include <unistd.h>

namespace lockstep {

std::string host_name() {
  char name[256] = "";  // longer than Linux allows, and so always ended
  return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

}  // namespace lockstep
