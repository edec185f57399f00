// read_ahead.h: threads that read examples in advance, so that decoding does not wait for storage.
//
// Examples are numbered by their turn. A limited number is held in memory; for further ones the
// kernel is asked to read ahead.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "data/formats/example_source.h"
#include "data/pipeline/epoch_order.h"

namespace lockstep {

struct ReadExample {
  Turn turn;
  EncodedExample example;
  std::optional<Error> error;  // why it could not be read
};

struct ReadAheadOptions {
  int threads = 1;
  int depth = 64;       // examples in memory, read or being read
  int announced = 256;  // further examples that the kernel reads ahead
  // That examples in memory may take before further ones wait: a few are enormous.
  int64_t most_bytes = int64_t{256} << 20;
};

class ReadAhead {
 public:
  // Borrows the source.
  ReadAhead(const ExampleSource& source, EpochOrder order, const ReadAheadOptions& options);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // The example whose turn is number `number`, counted from 0. Each is taken once; `depth` beyond
  // the first that is not yet taken must not be asked for. Swaps memory with `out`. Waits; false
  // when stop() was called.
  bool take(int64_t number, ReadExample& out);
  void stop();  // wakes everybody up
  Seconds processor_time() const;

 private:
  struct Slot {
    enum State { Empty, Reading, Full } state = Empty;
    int64_t number = -1;  // of what is or will be in it
    ReadExample content;
  };
  void work();
  bool has_room() const;                                   // with the lock held
  Seconds read(int64_t soon, ReadExample& content) const;  // returns the processor time it took
  Turn next_turn();                                        // with the lock held

  const ExampleSource& source_;
  EpochOrder order_;
  ReadAheadOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable room_, filled_;
  std::vector<Slot> slots_;
  std::deque<Turn> announced_;  // turns known but not yet read
  int64_t next_ = 0;
  int64_t held_bytes_ = 0;  // of the slots that are full
  bool stopping_ = false;
  Seconds processor_time_{};
  std::vector<std::jthread> threads_;
};

}  // namespace lockstep
