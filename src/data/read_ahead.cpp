#include "data/read_ahead.h"

#include <utility>

#include "data/thread_clock.h"

namespace lockstep {

ReadAhead::ReadAhead(const ExampleSource& source, EpochOrder order, const ReadAheadOptions& options)
    : source_(source),
      order_(std::move(order)),
      options_(options),
      slots_(static_cast<size_t>(options.depth)) {
  for (int i = 0; i < options.threads; ++i) {
    threads_.emplace_back([this] { work(); });
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
  const auto next_slot = [this]() -> Slot& {
    return slots_[static_cast<size_t>(next_ % options_.depth)];
  };
  while (true) {
    room_.wait(lock, [&] { return stopping_ || next_slot().state == Slot::Empty; });
    if (stopping_) return;
    Slot& slot = next_slot();
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
    filled_.notify_all();
  }
}

Seconds ReadAhead::read(int64_t soon, ReadExample& content) const {
  const Seconds before = thread_processor_time();
  source_.will_need(soon);
  content.error.reset();
  try {
    source_.read(content.turn.example, content.example);
  } catch (const std::exception& error) {  // whoever takes it decides
    content.error = Error(std::string(error.what()));
  }
  return thread_processor_time() - before;
}

bool ReadAhead::take(int64_t number, ReadExample& out) {
  std::unique_lock lock(mutex_);
  Slot& slot = slots_[static_cast<size_t>(number % options_.depth)];
  filled_.wait(lock,
               [&] { return stopping_ || (slot.state == Slot::Full && slot.number == number); });
  if (stopping_) return false;
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
