// owned_slice.h: one slice on the server that keeps it: its values, and the gradients of a step.
//
// Sums of floats depend on their order, so gradients are added in the order of the workers and a
// run repeats bit for bit. One that comes early is kept until its turn.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/time.h"

namespace lockstep {

// Rooms for gradients, handed out and taken back: few slices are in the making at one time.
class Rooms {
 public:
  std::vector<float> take(size_t floats);
  void give_back(std::vector<float> room);

 private:
  std::map<size_t, std::vector<std::vector<float>>> free_;  // by size
};

class OwnedSlice {
 public:
  OwnedSlice(std::span<float> values, int workers);

  std::span<float> values() const { return values_; }
  int64_t pushes(int worker) const { return pushes_[worker]; }  // since the first step

  // Where a worker's gradient is to be received; then either add() or take_alone().
  std::span<float> room_for(int worker, Rooms& rooms);
  // Synchronous: to the sum, now or in its turn. True: all have come, and sum() is complete.
  bool add(int worker, Rooms& rooms);
  std::span<const float> sum() const { return rooms_.front(); }
  // Asynchronous: what this worker brought.
  std::span<const float> take_alone(int worker);
  void next_step(Rooms& rooms);  // what came is used up

  int64_t updates = 0;
  Seconds complete{};         // synchronous: when the last gradient of the last update had come
  double sum_of_squares = 0;  // of the values that decay
  std::vector<bool> asking;   // by worker: asked for the values and receives

 private:
  std::span<float> values_;                // borrowed from the server
  std::vector<std::vector<float>> rooms_;  // by worker; the first becomes the sum
  std::vector<bool> came_;                 // by worker: its room is filled
  std::vector<int64_t> pushes_;            // by worker
  int added_ = 0;                          // workers in the sum
};

}  // namespace lockstep
