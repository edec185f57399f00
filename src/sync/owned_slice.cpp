#include "sync/owned_slice.h"

#include <utility>

#include "base/error.h"
#include "comm/reduce_kernels.h"

namespace lockstep {

std::vector<float> Rooms::take(size_t floats) {
  std::vector<std::vector<float>>& free = free_[floats];
  if (free.empty()) return std::vector<float>(floats);
  std::vector<float> room = std::move(free.back());
  free.pop_back();
  return room;
}

void Rooms::give_back(std::vector<float> room) {
  const size_t floats = room.size();
  if (floats > 0) free_[floats].push_back(std::move(room));
}

OwnedSlice::OwnedSlice(std::span<float> values, int workers)
    : asking(workers), values_(values), rooms_(workers), came_(workers), pushes_(workers) {}

std::span<float> OwnedSlice::room_for(int worker, Rooms& rooms) {
  if (came_[worker]) throw Error("rank {} pushed a slice twice in one step", worker);
  rooms_[worker] = rooms.take(values_.size());
  return rooms_[worker];
}

bool OwnedSlice::add(int worker, Rooms& rooms) {
  came_[worker] = true;
  ++pushes_[worker];
  for (; added_ < std::ssize(rooms_) && came_[added_]; ++added_) {
    if (added_ == 0) continue;
    add_into(rooms_.front(), rooms_[added_]);
    rooms.give_back(std::exchange(rooms_[added_], {}));
  }
  return added_ == std::ssize(rooms_);
}

std::span<const float> OwnedSlice::take_alone(int worker) {
  ++pushes_[worker];
  return rooms_[worker];
}

void OwnedSlice::next_step(Rooms& rooms) {
  for (std::vector<float>& room : rooms_) rooms.give_back(std::exchange(room, {}));
  came_.assign(came_.size(), false);
  added_ = 0;
}

}  // namespace lockstep
