// shape.h: the extents of a tensor, outermost first. Of an activation: channels, height, width of
// one image (or just channels); the batch is never part of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace lockstep {

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t operator[](int axis) const { return dims_[axis]; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t elements() const;
  std::string text() const;  // "64x55x55"

  // An activation's parts; a flat one is channels x 1 x 1.
  int64_t channels() const { return dims_[0]; }
  int64_t height() const { return rank() == 3 ? dims_[1] : 1; }
  int64_t width() const { return rank() == 3 ? dims_[2] : 1; }

  bool operator==(const Shape&) const = default;

 private:
  std::vector<int64_t> dims_;
};

}  // namespace lockstep
