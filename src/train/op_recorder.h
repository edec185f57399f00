// op_recorder.h: records the operations of an engine, for profiles and traces.
#pragma once

#include <vector>

#include "engine/engine.h"

namespace lockstep {

// Adds up the time of every operation, over as many steps as it listens to.
class OpTotals : public OpObserver {
 public:
  explicit OpTotals(size_t ops) : forward_(ops), backward_(ops) {}

  void executed(int op, Pass pass, TimePoint begin, TimePoint end) override {
    (pass == Pass::Forward ? forward_ : backward_)[static_cast<size_t>(op)] += end - begin;
  }
  Seconds forward(size_t op) const { return forward_[op]; }
  Seconds backward(size_t op) const { return backward_[op]; }

 private:
  std::vector<Seconds> forward_, backward_;
};

// Keeps every operation of a few steps, in order.
class OpTimeline : public OpObserver {
 public:
  struct Event {
    int op;
    Pass pass;
    TimePoint begin, end;
  };

  explicit OpTimeline(size_t ops) { events_.reserve(4 * ops); }

  void executed(int op, Pass pass, TimePoint begin, TimePoint end) override {
    events_.push_back({op, pass, begin, end});
  }
  const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> events_;
};

}  // namespace lockstep
