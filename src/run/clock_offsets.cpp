#include "run/clock_offsets.h"

#include <limits>
#include <span>

namespace lockstep {
namespace {

constexpr int kTag = 77, kRounds = 8;

Clock::rep ticks() { return Clock::now().time_since_epoch().count(); }

std::span<std::byte> bytes_of(Clock::rep& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

struct Offset {
  Seconds value, error;
};

Offset offset_of(Communicator& control, int rank) {
  Clock::rep shortest = std::numeric_limits<Clock::rep>::max(), offset = 0;
  for (int round = 0; round < kRounds; ++round) {
    Clock::rep begin = ticks(), theirs = 0;
    control.send_bytes(bytes_of(begin), rank, kTag);
    control.recv_bytes(bytes_of(theirs), rank, kTag);
    const Clock::rep end = ticks();
    if (end - begin >= shortest) continue;
    shortest = end - begin;
    offset = begin + (end - begin) / 2 - theirs;
  }
  return {Clock::duration(offset), Seconds(Clock::duration(shortest)) / 2};
}

}  // namespace

ClockOffsets measure_clock_offsets(Communicator& control) {
  const TimePoint begin = Clock::now();
  if (control.rank() > 0) {
    for (int round = 0; round < kRounds; ++round) {
      Clock::rep word = 0;
      control.recv_bytes(bytes_of(word), 0, kTag);
      word = ticks();
      control.send_bytes(bytes_of(word), 0, kTag);
    }
    return {.at = begin, .of_ranks = {}, .errors = {}};
  }
  ClockOffsets offsets = {.at = begin, .of_ranks = {Seconds{0}}, .errors = {Seconds{0}}};
  for (int rank = 1; rank < control.size(); ++rank) {
    const Offset offset = offset_of(control, rank);
    offsets.of_ranks.push_back(offset.value);
    offsets.errors.push_back(offset.error);
  }
  offsets.at += (Clock::now() - begin) / 2;
  return offsets;
}

RankClock::RankClock(const ClockOffsets& before, const ClockOffsets& after, size_t rank)
    : offset_(before.of_ranks[rank]) {
  const Seconds change = after.of_ranks[rank] - offset_;
  if (std::chrono::abs(change) <= before.errors[rank] + after.errors[rank]) {
    if (after.errors[rank] < before.errors[rank]) offset_ += change;
    return;
  }
  begin_ = before.at - std::chrono::duration_cast<Clock::duration>(offset_);
  const Seconds theirs = after.at - before.at - change;
  if (theirs > Seconds{0}) drift_ = change / theirs;
}

Seconds RankClock::offset(TimePoint theirs) const {
  return offset_ + drift_ * Seconds(theirs - begin_);
}

}  // namespace lockstep
