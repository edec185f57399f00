#include "run/server_thread.h"

#include <utility>

#include "comm/missing_ranks.h"
#include "sync/server.h"

namespace lockstep {

ServerThread::ServerThread(ServerSeat seat)
    : thread_([this, seat = std::move(seat)] {
        try {
          Store store(seat.store);
          run_server(*make_communicator(seat.backend, seat.roster, seat.options, store),
                     {.stall_timeout = seat.options.stall_timeout,
                      .gone = [&] { return gone_ranks(store, seat.roster); },
                      .who = [&](int rank) { return seat.roster.who(rank); }});
        } catch (...) {  // the top of a thread: join() throws it again
          failure_ = std::current_exception();
        }
      }) {}

void ServerThread::join() {
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace lockstep
