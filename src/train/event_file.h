// event_file.h: writes a TensorBoard event file: values of a run by step.
//
// A file of TFRecords, each a protocol buffer (TensorFlow's event.proto and summary.proto): when,
// which step, and named numbers. Every call is on disk when it returns, so that a run can be
// watched.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/tfrecord.h"

namespace lockstep {

struct Scalar {
  std::string_view name;
  double value = 0;
};

// One record; `seconds`: since 1970.
ByteBuffer event_of(double seconds, int64_t step, std::span<const Scalar> scalars);

class EventFile {
 public:
  // events.out.tfevents.SECONDS.HOST.PROCESS in the directory, which is made. Throws Error.
  explicit EventFile(const std::string& directory);

  void add(int64_t step, const std::vector<Scalar>& scalars);
  // A run resumes here: what earlier files say about this step and later ones is obsolete.
  void go_on_at(int64_t step);

 private:
  RecordWriter writer_;
};

}  // namespace lockstep
