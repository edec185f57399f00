#include "sim/message/in_child.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace lockstep {

double in_child(const std::function<double()>& compute) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("cannot create a pipe");
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start a process");
  if (child == 0) {
    close(ends[0]);
    bool sent = false;
    try {  // nothing may leave this block: the code behind it belongs to the parent
      const double seconds = compute();
      sent = write(ends[1], &seconds, sizeof(seconds)) == sizeof(seconds);
    } catch (...) {
    }
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  double seconds = 0;
  const bool got = read(ends[0], &seconds, sizeof(seconds)) == sizeof(seconds);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!got || status != 0) throw Error("a simulation on SimGrid failed");
  return seconds;
}

}  // namespace lockstep
