// array_source.h: a source of examples for small images in memory.
#pragma once

#include <algorithm>

#include "data/formats/example_source.h"
#include "data/formats/labelled_images.h"

namespace lockstep {

class ArraySource : public ExampleSource {
 public:
  // The images of one file, up to the begin of the next part.
  struct Part {
    int64_t begin = 0;
    std::string file;
  };
  // `parts`: in order, at least one.
  ArraySource(LabelledImages images, std::vector<Part> parts)
      : images_(std::move(images)), parts_(std::move(parts)) {}

  int64_t count() const override { return images_.count(); }
  int64_t bytes() const override { return std::ssize(images_.pixels); }
  std::span<const int64_t> group_begins() const override { return {}; }
  void read(int64_t index, EncodedExample& out) const override {
    out.form = EncodedExample::Form::Pixels;
    out.bytes = images_.pixels_of(index);
    out.channels = static_cast<int>(images_.image.channels());
    out.height = static_cast<int>(images_.image.height());
    out.width = static_cast<int>(images_.image.width());
    out.label = images_.labels[static_cast<size_t>(index)];
    out.boxes.clear();
  }
  void will_need(int64_t) const override {}
  std::string where(int64_t index) const override {
    const auto behind = std::ranges::upper_bound(parts_, index, {}, &Part::begin);
    const Part& part = *std::prev(behind);
    return part.file + ", image " + std::to_string(index - part.begin);
  }

 private:
  LabelledImages images_;
  std::vector<Part> parts_;
};

}  // namespace lockstep
