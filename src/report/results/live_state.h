// live_state.h: the state of a running sweep, in progress.json next to its results, for `lockstep
// serve`. It is never synced to disk, so that it does not disturb the measurement.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace lockstep {

struct LiveState {
  std::string label;      // of the launch that is running
  int done = 0, all = 0;  // launches
  double seconds_left = 0;
  std::optional<double> images_per_second = {};
  std::string host = {};  // of the sweep's process
  int process = 0;
};

std::optional<LiveState> live_state_in(std::string_view text);  // absent: it is none

// Absent: no sweep is running there, even if one was killed and left the file.
std::optional<LiveState> read_live_state(const std::string& directory);

// The file of one sweep, removed at its end. A write error does not stop the sweep.
class LiveFile {
 public:
  explicit LiveFile(const std::string& directory);
  ~LiveFile();
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  void tell(LiveState state);       // now
  void tell_soon(LiveState state);  // at most once a second

 private:
  std::string path_, host_;
  TimePoint last_{};
};

}  // namespace lockstep
