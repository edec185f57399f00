// process_state.h: whether another process of this machine is running.
#pragma once

#include <cstdint>

namespace lockstep {

enum class ProcessState { Runs, Stopped, Gone };

// A number alone may be given to a new process; with the time of its start it stands for one only.
struct ProcessId {
  int64_t number = 0;
  int64_t started = 0;  // clock ticks since the machine started
};

ProcessId this_process();
ProcessState state_of(const ProcessId& process);  // a zombie is gone

}  // namespace lockstep
