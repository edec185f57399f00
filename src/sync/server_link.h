// server_link.h: a worker's side of the conversation with the parameter servers; see
// server_protocol.h. Every call blocks, and one thread at a time calls.
#pragma once

#include <span>
#include <string>

#include "comm/communicator.h"
#include "measure/transfers.h"
#include "sync/server_plan.h"
#include "sync/server_protocol.h"
#include "sync/variable_placement.h"

namespace lockstep {

// What a worker does with the servers in one go. Slices are named by their place in the plan.
struct Visit {
  int push = kNoSlice;
  std::span<const float> gradient = {};
  double learning_rate = 0;
  int pull = kNoSlice;  // not the one that is pushed
  std::span<float> values = {};
  int recall = kNoSlice;             // one that was pulled before
  std::span<float> remembered = {};  // its rows, kind after kind
  int64_t* updates = nullptr;
  bool others_first = false;  // before all this: until every worker has done its last step
};

// What a visit pulled.
struct Pulled {
  double sum_of_squares = 0;  // of the values
  TimePoint asked = {};       // when the server was asked for them
  ServerHold hold = {};
};

class ServerLink {
 public:
  // Borrows the communicator and the slices.
  ServerLink(Communicator& everyone, int workers, std::span<const Slice> slices);

  // Collective over workers and servers: the plan, and worker 0's values, which are all values of
  // the arena. `remembered`: of a checkpoint, a row per kind of number that the optimizer keeps.
  void introduce(const ServerPlan& plan, std::span<const float> all_values,
                 std::span<const std::span<const float>> remembered);
  Pulled visit(const Visit& visit);
  void still_here();
  void leave();  // returns when all ranks do
  // Servers tell the other workers why; with no reason, that this rank gave up.
  void give_up(const std::string& reason);

 private:
  int rank_of(int slice) const { return workers_ + slices_[slice].server; }
  void send(Request request, int server);
  Pulled receive_pulled(int server, TimePoint asked);
  ServerAnswer receive_answer(int server);
  void wait_for_others();
  void recall(const Visit& visit);

  Communicator& everyone_;
  int workers_;
  std::span<const Slice> slices_;
  int ended_ = -1;  // the server that reported a failure: it accepts no more requests
};

}  // namespace lockstep
