// example_source.h: interface of a data set as numbered examples in stored form. Random access,
// thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/formats/bytes.h"
#include "data/formats/image_record.h"

namespace lockstep {

enum class Split { Training, Validation };

struct EncodedExample {
  enum class Form { Jpeg, Pixels };

  Form form = Form::Jpeg;
  ByteView bytes;                           // of `storage`, or of the source itself
  int height = 0, width = 0, channels = 0;  // of Pixels: rows of pixels of channels
  int64_t label = 0;                        // as stored
  std::vector<ObjectBox> boxes;
  ByteBuffer storage;  // keeps its memory from one read to the next
};

// Makes `out` show what is kept elsewhere; `kept` must outlive it.
inline void show(const EncodedExample& kept, EncodedExample& out) {
  out.form = kept.form;
  out.bytes = kept.bytes;
  out.height = kept.height;
  out.width = kept.width;
  out.channels = kept.channels;
  out.label = kept.label;
  out.boxes = kept.boxes;
}

class ExampleSource {
 public:
  virtual ~ExampleSource() = default;

  virtual int64_t count() const = 0;
  virtual int64_t bytes() const = 0;  // of all examples, as stored
  // First example of each group that is stored together (a file). Empty: one group.
  virtual std::span<const int64_t> group_begins() const = 0;
  // Throws Error with the place. `out` is valid as long as the source.
  virtual void read(int64_t index, EncodedExample& out) const = 0;
  virtual void will_need(int64_t index) const = 0;     // read() comes soon; does not wait
  virtual std::string where(int64_t index) const = 0;  // for messages: file and place
};

}  // namespace lockstep
