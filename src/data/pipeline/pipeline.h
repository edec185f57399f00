// pipeline.h: threads that prepare the next batches while the engine computes.
//
// Examples are numbered. A thread takes the next number, prepares that example and stores it at its
// position. So batches do not depend on the number of threads. A bounded number of batches is
// prepared ahead; all memory is allocated at the start.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "data/pipeline/input_source.h"
#include "tensor/memory.h"

namespace lockstep {

// Makes examples, for one thread.
class ExampleMaker {
 public:
  virtual ~ExampleMaker() = default;

  // Example `number` of this rank, counted from 0: fills the image, returns the label. Throws
  // Error.
  virtual int32_t make(int64_t number, std::span<float> image) = 0;
};

struct PipelineOptions {
  int batch = 1;
  int64_t image_floats = 0;
  int threads = 1;
  int prefetch = 2;  // batches ahead of the one in use
};

class Pipeline : public InputSource {
 public:
  using NewMaker = std::function<std::unique_ptr<ExampleMaker>()>;  // called by each thread

  Pipeline(const PipelineOptions& options, NewMaker new_maker);
  ~Pipeline() override;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Throws what the first example of the batch that failed threw.
  const Batch& next() override;
  InputCost cost() const override;
  // Ends the threads, whatever they wait for in here. What makers wait for elsewhere must have been
  // ended before.
  void stop();

 private:
  struct Slot {
    Memory images;
    std::vector<int32_t> labels;
    Batch batch;
    int missing = 0;  // examples still to be made
    std::exception_ptr failure;
    int failed = 0;  // place in the batch
  };
  struct Piece {  // examples that one thread makes in one go
    Slot* slot = nullptr;
    int64_t number = 0;  // of the first
    int place = 0, count = 0;
  };
  void work();
  bool take(Piece& piece);  // waits; false at the end
  void deliver(const Piece& piece, const std::exception_ptr& failure, int failed_place,
               Seconds spent);
  Slot& slot_of(int64_t batch) { return slots_[static_cast<size_t>(batch) % slots_.size()]; }

  PipelineOptions options_;
  NewMaker new_maker_;
  int piece_size_;
  mutable std::mutex mutex_;
  std::condition_variable room_, ready_;
  std::vector<Slot> slots_;
  int64_t next_number_ = 0;  // to be made
  int64_t used_ = -1;        // the batch in use
  bool stopping_ = false;
  Seconds processor_time_{};
  int64_t made_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace lockstep
