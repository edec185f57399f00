#include "comm/process_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace lockstep {
namespace {

struct Status {
  char state = 'X';  // also of a process that does not exist
  int64_t started = 0;
};

// /proc/PID/stat: number, name in brackets (which may hold anything), state, ..., 22nd the start.
Status read_status(int64_t number) {
  std::ifstream file(fmt::format("/proc/{}/stat", number));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return {};
  std::istringstream fields(text.substr(bracket + 1));
  Status status;
  fields >> status.state;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  fields >> status.started;
  return status;
}

}  // namespace

ProcessId this_process() {
  const int64_t number = getpid();
  return {.number = number, .started = read_status(number).started};
}

ProcessState state_of(const ProcessId& process) {
  const Status status = read_status(process.number);
  const bool dead = status.state == 'Z' || status.state == 'X' || status.state == 'x';
  if (dead || status.started != process.started) return ProcessState::Gone;
  return status.state == 'T' || status.state == 't' ? ProcessState::Stopped : ProcessState::Runs;
}

}  // namespace lockstep
