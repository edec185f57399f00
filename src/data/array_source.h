// array_source.h: small images that are in memory already, as a source of examples.
#pragma once

#include "data/example_source.h"
#include "data/labelled_images.h"

namespace lockstep {

class ArraySource : public ExampleSource {
 public:
  // `name`: what messages call it.
  ArraySource(LabelledImages images, std::string name)
      : images_(std::move(images)), name_(std::move(name)) {}

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
    return name_ + ", image " + std::to_string(index);
  }

 private:
  LabelledImages images_;
  std::string name_;
};

}  // namespace lockstep
