// message_absent.cpp: a build without SimGrid.
#include "base/error.h"
#include "sim/message/message_fidelity.h"

namespace lockstep {

bool has_message_fidelity() { return false; }
std::string simgrid_version() { return ""; }

std::unique_ptr<Fidelity> message_fidelity(const Cluster&, const Scenario&, const Layout&) {
  throw UsageError(
      "--fidelity message: this lockstep was built without SimGrid; use --fidelity schedule, or "
      "build it with SimGrid (install libsimgrid-dev, then './run build')");
}

}  // namespace lockstep
