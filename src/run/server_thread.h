// server_thread.h: a parameter server as a thread of a worker (--ps-in-worker).
#pragma once

#include <exception>
#include <thread>

#include "run/group.h"

namespace lockstep {

class ServerThread {
 public:
  explicit ServerThread(ServerSeat seat);  // connects by itself, together with all other ranks
  void join();                             // once the workers are done; throws what went wrong

 private:
  std::exception_ptr failure_;  // written by the thread
  std::jthread thread_;         // last: joined before the rest goes
};

}  // namespace lockstep
