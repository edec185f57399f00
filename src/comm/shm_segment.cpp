#include "comm/shm_segment.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "base/error.h"
#include "comm/store.h"

namespace lockstep {
namespace {

constexpr int kSpins = 2000;  // some tens of microseconds: about what falling asleep costs

// A rank that spins with fewer cores than ranks keeps the one it waits for from running.
int spins_for(int ranks) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  return ranks <= CPU_COUNT(&cores) ? kSpins : 0;
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected, Seconds most) {
  const timespec time{.tv_sec = 0, .tv_nsec = static_cast<long>(most.count() * 1e9)};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &time, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

std::string text_of(const SharedHandle& handle) {
  return fmt::format("{} {} {}", handle.process, handle.descriptor, handle.bytes);
}

SharedHandle handle_of(const std::string& text) {
  SharedHandle handle;
  std::istringstream(text) >> handle.process >> handle.descriptor >> handle.bytes;
  return handle;
}

}  // namespace

struct ShmSegment::Head {
  enum Failure : int32_t { None, BeingWritten, Written };
  std::atomic<int64_t> arrived;  // at all barriers, by all ranks
  std::atomic<int32_t> failure;
  char reason[1024];
};
static_assert(std::atomic<int64_t>::is_always_lock_free);

ShmSegment::ShmSegment(Roster roster, Store& store, const std::string& name, Seconds stall_timeout)
    : roster_(std::move(roster)), stall_timeout_(stall_timeout), spins_(spins_for(roster_.size())) {
  const int64_t ranks = roster_.size();
  const std::string key = name + "/shm";
  if (roster_.rank == 0) {  // fresh pages are zero: every count starts right
    block_ = SharedBlock(static_cast<int64_t>(sizeof(Head) + 64 + ranks * sizeof(RankSlot) +
                                              ranks * ranks * sizeof(ShmPipe)));
    store.set(key, text_of(block_.handle()));
  } else {
    block_ = SharedBlock(handle_of(store.get(key, stall_timeout)));
  }
  slot(roster_.rank).process = this_process();
  store.barrier(key, roster_.rank, roster_.size(), stall_timeout);
  block_.seal();
}

ShmSegment::~ShmSegment() {
  slot(roster_.rank).left = 1;
  for (int rank = 0; rank < roster_.size(); ++rank) ring(rank);
}

ShmSegment::Head& ShmSegment::head() const { return *reinterpret_cast<Head*>(block_.data()); }

RankSlot& ShmSegment::slot(int rank) const {
  constexpr size_t kBegin = (sizeof(Head) + 63) / 64 * 64;
  return reinterpret_cast<RankSlot*>(block_.data() + kBegin)[rank];
}

ShmPipe& ShmSegment::pipe(int from, int to) const {
  auto* pipes = reinterpret_cast<ShmPipe*>(&slot(roster_.size()));
  return pipes[from * roster_.size() + to];
}

void ShmSegment::barrier() {
  const int64_t goal = ++barriers_ * roster_.size();
  slot(roster_.rank).arrivals = barriers_;
  if (head().arrived.fetch_add(1) + 1 == goal) {
    for (int rank = 0; rank < roster_.size(); ++rank) ring(rank);
    return;
  }
  wait([&] { return head().arrived.load() >= goal; },
       [&] {
         std::vector<int> missing;
         for (int rank = 0; rank < roster_.size(); ++rank) {
           if (slot(rank).arrivals.load() < barriers_) missing.push_back(rank);
         }
         return missing;
       });
}

void ShmSegment::ring(int rank) {
  if (rank == roster_.rank) return;
  RankSlot& other = slot(rank);
  other.bell.fetch_add(1);
  if (other.sleeps.load() != 0) futex_wake(other.bell);
}

void ShmSegment::pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

void ShmSegment::sleep_unless_rung(uint32_t heard) {
  RankSlot& mine = slot(roster_.rank);
  mine.sleeps = 1;
  futex_wait(mine.bell, heard, kCheckEvery);
  mine.sleeps = 0;
}

void ShmSegment::check(const std::vector<int>& awaited, Seconds waited) {
  if (head().failure != Head::None) fail("");
  for (int rank = 0; rank < roster_.size(); ++rank) {
    // Who ends properly says so first; so its word is read after its state.
    const bool gone = state_of(slot(rank).process) == ProcessState::Gone;
    if (gone && slot(rank).left == 0) fail(fmt::format("{} died", roster_.who(rank)));
  }
  std::vector<int> left;
  for (const int rank : awaited) {
    if (slot(rank).left != 0) left.push_back(rank);
  }
  if (!awaited.empty() && left.size() == awaited.size()) {
    fail(fmt::format("{} left while others waited", roster_.who(left)));
  }
  if (waited >= stall_timeout_) fail_stalled(awaited);
}

// A stopped process is the cause even where this rank waits for another that waits for it.
void ShmSegment::fail_stalled(const std::vector<int>& awaited) {
  std::vector<int> stopped;
  for (int rank = 0; rank < roster_.size(); ++rank) {
    if (state_of(slot(rank).process) == ProcessState::Stopped) stopped.push_back(rank);
  }
  if (!stopped.empty()) {
    fail(fmt::format("{} is stopped (signal) and made no progress for {:.1f} s",
                     roster_.who(stopped), stall_timeout_.count()));
  }
  fail(fmt::format("{} made no progress for {:.1f} s", roster_.who(awaited),
                   stall_timeout_.count()));
}

void ShmSegment::fail(const std::string& reason) {
  int32_t none = Head::None;
  if (head().failure.compare_exchange_strong(none, Head::BeingWritten)) {
    std::strncpy(head().reason, reason.c_str(), sizeof head().reason - 1);
    head().failure = Head::Written;
    for (int rank = 0; rank < roster_.size(); ++rank) ring(rank);
  }
  // Its writer may die halfway: after a moment this rank's own reason must do.
  const TimePoint patience = Clock::now() + std::chrono::seconds(1);
  while (head().failure != Head::Written && Clock::now() < patience) sched_yield();
  throw Error("{}", head().failure == Head::Written ? std::string(head().reason) : reason);
}

}  // namespace lockstep
