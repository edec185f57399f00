#include "process/adoption.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Linux lists children by the thread that created or adopted them.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code ended;  // a thread may end meanwhile
  for (const fs::directory_entry& thread : fs::directory_iterator("/proc/self/task", ended)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

}  // namespace

Adoption::Adoption() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

Adoption::~Adoption() {
  // Children of an orphan become ours when it ends.
  for (std::vector<pid_t> orphans = children(); !orphans.empty(); orphans = children()) {
    for (const pid_t orphan : orphans) {
      kill(orphan, SIGKILL);
      waitpid(orphan, nullptr, 0);
    }
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace lockstep
