// shm_segment.h: the shared segment of the ranks of one host: barrier, waiting, failures.
//
// Every rank has a bell, a word that others count up after they changed something it may wait for.
// A rank that waits looks again and again for a moment, then sleeps on its bell (a futex) and looks
// after the others meanwhile: one that died, left or does nothing for too long ends the wait. The
// first to notice writes the reason down, so all ranks give the same one.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "comm/process_state.h"
#include "comm/roster.h"
#include "comm/shared_block.h"

namespace lockstep {

// What a rank brings to a collective call.
struct Offer {
  int64_t count = 0;   // floats
  int64_t region = 0;  // its shared memory that they stand in; -1: none
  int64_t offset = 0;  // bytes
};

struct alignas(64) RankSlot {
  std::atomic<uint32_t> bell;
  std::atomic<uint32_t> sleeps;
  std::atomic<int32_t> left;
  alignas(64) std::atomic<int64_t> arrivals;  // barriers it has come to
  ProcessId process;
  SharedHandle block;  // being handed to the others
  Offer offers[2];     // of this call and of the one before, which others may still read
};

// Bytes on their way from one rank to another.
struct alignas(64) ShmPipe {
  static constexpr uint64_t kBytes = 256 << 10;
  std::atomic<uint64_t> written;
  alignas(64) std::atomic<uint64_t> read;
  alignas(64) std::byte bytes[kBytes];
};

class ShmSegment {
 public:
  // Collective. Rank 0 makes the segment and tells the others through the store.
  ShmSegment(Roster roster, Store& store, const std::string& name, Seconds stall_timeout);
  ~ShmSegment();  // the others see that this rank left
  ShmSegment(const ShmSegment&) = delete;
  ShmSegment& operator=(const ShmSegment&) = delete;

  const Roster& roster() const { return roster_; }
  RankSlot& slot(int rank) const;
  ShmPipe& pipe(int from, int to) const;

  // From now on a wait ends after so long.
  void set_stall_timeout(Seconds timeout) { stall_timeout_ = timeout; }

  void barrier();
  void ring(int rank);  // after a change that it may wait for

  // Until ready(); awaited() lists the ranks that can bring it about.
  template <typename Ready, typename Awaited>
  void wait(const Ready& ready, const Awaited& awaited) {
    for (int look = 0; look < spins_; ++look) {
      if (ready()) return;
      pause();
    }
    const TimePoint start = Clock::now();
    for (TimePoint last_check = start;;) {
      const uint32_t heard = slot(roster_.rank).bell.load();
      if (ready()) return;
      sleep_unless_rung(heard);
      if (ready()) return;
      if (Clock::now() - last_check < kCheckEvery) continue;
      last_check = Clock::now();
      check(awaited(), last_check - start);
    }
  }

  // Ends every wait of every rank with this reason, unless there is one already; throws it.
  [[noreturn]] void fail(const std::string& reason);

 private:
  static constexpr Seconds kCheckEvery{0.1};
  struct Head;

  static void pause();
  void sleep_unless_rung(uint32_t heard);
  void check(const std::vector<int>& awaited, Seconds waited);
  [[noreturn]] void fail_stalled(const std::vector<int>& awaited);
  Head& head() const;

  Roster roster_;
  Seconds stall_timeout_;
  int spins_ = 0;
  int64_t barriers_ = 0;
  SharedBlock block_;
};

}  // namespace lockstep
