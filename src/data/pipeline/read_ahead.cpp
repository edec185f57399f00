#include "data/pipeline/read_ahead.h"

#include <system_error>
#include <utility>

#include "data/pipeline/thread_clock.h"

namespace lockstep {
namespace {

// Memory goes from one example to the next, but not that of an enormous one: sooner or later every
// slot would have met it.
constexpr size_t kMostKeptBytes = size_t{4} << 20;

int64_t bytes_of(const ReadExample& read) { return std::ssize(read.example.storage); }

}  // namespace

ReadAhead::ReadAhead(const ExampleSource& source, EpochOrder order, const ReadAheadOptions& options)
    : source_(source),
      order_(std::move(order)),
      options_(options),
      slots_(static_cast<size_t>(options.depth)) {
  try {
    for (int i = 0; i < options.threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {  // more than the system allows
    stop();
    throw Error("cannot start {} threads for input: {}", options.threads, error.what());
  }
}

ReadAhead::~ReadAhead() { stop(); }

void ReadAhead::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  room_.notify_all();
  filled_.notify_all();
}

Turn ReadAhead::next_turn() {
  while (std::ssize(announced_) <= options_.announced) announced_.push_back(order_.next());
  const Turn turn = announced_.front();
  announced_.pop_front();
  return turn;
}

void ReadAhead::work() {
  ReadExample content;
  std::unique_lock lock(mutex_);
  while (true) {
    room_.wait(lock, [&] { return stopping_ || has_room(); });
    if (stopping_) return;
    Slot& slot = slots_[static_cast<size_t>(next_ % options_.depth)];
    slot.state = Slot::Reading;
    slot.number = next_++;
    content.turn = next_turn();
    const int64_t soon = announced_.back().example;
    lock.unlock();
    const Seconds spent = read(soon, content);
    lock.lock();
    processor_time_ += spent;
    std::swap(slot.content, content);
    slot.state = Slot::Full;
    held_bytes_ += bytes_of(slot.content);
    filled_.notify_all();
  }
}

Seconds ReadAhead::read(int64_t soon, ReadExample& content) const {
  const Seconds before = thread_processor_time();
  source_.will_need(soon);
  content.error.reset();
  try {
    source_.read(content.turn.example, content.example);
  } catch (const std::exception& error) {  // rethrown to the caller that takes the example
    content.error = Error(std::string(error.what()));
  }
  return thread_processor_time() - before;
}

// Whoever waits for an example waits for one that is held or for the next: what is held is taken by
// others meanwhile, in order, so there is room for the next before long.
bool ReadAhead::has_room() const {
  const Slot& slot = slots_[static_cast<size_t>(next_ % options_.depth)];
  return slot.state == Slot::Empty && held_bytes_ < options_.most_bytes;
}

bool ReadAhead::take(int64_t number, ReadExample& out) {
  if (out.example.storage.size() > kMostKeptBytes) out.example = {};
  std::unique_lock lock(mutex_);
  Slot& slot = slots_[static_cast<size_t>(number % options_.depth)];
  filled_.wait(lock,
               [&] { return stopping_ || (slot.state == Slot::Full && slot.number == number); });
  if (stopping_) return false;
  held_bytes_ -= bytes_of(slot.content);
  std::swap(slot.content, out);
  slot.state = Slot::Empty;
  room_.notify_all();
  return true;
}

Seconds ReadAhead::processor_time() const {
  const std::lock_guard lock(mutex_);
  return processor_time_;
}

}  // namespace lockstep
