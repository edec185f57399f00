#include "data/pipeline/pipeline.h"

#include <algorithm>
#include <cassert>
#include <system_error>

#include "base/error.h"
#include "data/pipeline/thread_clock.h"

namespace lockstep {
namespace {

constexpr int64_t kFloatsPerPiece = 16384;  // small images are made several at a time

}  // namespace

Pipeline::Pipeline(const PipelineOptions& options, NewMaker new_maker)
    : options_(options),
      new_maker_(std::move(new_maker)),
      piece_size_(static_cast<int>(
          std::clamp<int64_t>(kFloatsPerPiece / options.image_floats, 1, options.batch))),
      slots_(static_cast<size_t>(options.prefetch) + 1) {
  assert(options.threads > 0 && options.prefetch > 0 && options.batch > 0);
  for (Slot& slot : slots_) {
    slot.images = Memory(options.batch * options.image_floats * int64_t{sizeof(float)});
    slot.labels.resize(static_cast<size_t>(options.batch));
    slot.batch = {.images = slot.images.floats(), .labels = slot.labels};
    slot.missing = options.batch;
  }
  try {
    for (int i = 0; i < options.threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {  // more than the system allows
    stop();
    throw Error("cannot start {} threads for input: {}", options.threads, error.what());
  }
}

Pipeline::~Pipeline() { stop(); }

void Pipeline::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  room_.notify_all();
  ready_.notify_all();
  threads_.clear();  // joins
}

bool Pipeline::take(Piece& piece) {
  std::unique_lock lock(mutex_);
  const auto batch = [this] { return next_number_ / options_.batch; };
  room_.wait(lock, [&] { return stopping_ || batch() < used_ + std::ssize(slots_); });
  if (stopping_) return false;
  const int place = static_cast<int>(next_number_ % options_.batch);
  piece = {.slot = &slot_of(batch()),
           .number = next_number_,
           .place = place,
           .count = std::min(piece_size_, options_.batch - place)};
  next_number_ += piece.count;
  return true;
}

void Pipeline::work() {
  std::unique_ptr<ExampleMaker> maker;
  for (Piece piece; take(piece);) {
    const Seconds before = thread_processor_time();
    int made = 0;
    std::exception_ptr failure;
    try {
      if (!maker) maker = new_maker_();
      for (; made < piece.count; ++made) {
        const size_t place = static_cast<size_t>(piece.place) + static_cast<size_t>(made);
        const auto floats = static_cast<size_t>(options_.image_floats);
        const auto image = piece.slot->images.floats().subspan(place * floats, floats);
        piece.slot->labels[place] = maker->make(piece.number + made, image);
      }
    } catch (...) {  // top of a thread: rethrown to the caller that takes the batch
      failure = std::current_exception();
    }
    deliver(piece, failure, piece.place + made, thread_processor_time() - before);
  }
}

void Pipeline::deliver(const Piece& piece, const std::exception_ptr& failure, int failed_place,
                       Seconds spent) {
  const std::lock_guard lock(mutex_);
  Slot& slot = *piece.slot;
  if (failure && (!slot.failure || failed_place < slot.failed)) {
    slot.failure = failure;
    slot.failed = failed_place;
  }
  processor_time_ += spent;
  made_ += piece.count;
  slot.missing -= piece.count;
  if (slot.missing == 0) ready_.notify_all();
}

const Batch& Pipeline::next() {
  std::unique_lock lock(mutex_);
  if (used_ >= 0) slot_of(used_).missing = options_.batch;
  ++used_;
  room_.notify_all();
  Slot& slot = slot_of(used_);
  ready_.wait(lock, [&] { return slot.missing == 0 || stopping_; });
  if (slot.failure) std::rethrow_exception(slot.failure);
  return slot.batch;
}

InputCost Pipeline::cost() const {
  const std::lock_guard lock(mutex_);
  return {.threads = options_.threads, .processor_time = processor_time_, .examples = made_};
}

}  // namespace lockstep
