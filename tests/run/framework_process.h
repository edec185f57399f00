// framework_process.h: runs that start a Python, or what stands in for it.
#pragma once

#include "run/workers_fixture.h"

namespace lockstep {

class FrameworkProcess : public Workers {
 protected:
  // A python of this test's own.
  std::string script(const std::string& text) const {
    std::ofstream(path("python")) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path("python"), std::filesystem::perms::owner_all);
    return path("python");
  }
};

}  // namespace lockstep
