// framework_line.h: the line protocol in which a training script reports its run.
//
// A script prints "@lockstep/1 " and a JSON object, one line per event, on stdout; every other line
// is its own output. docs/frameworks.md describes all fields.
//
//   {"event": "hello", "framework": "PyTorch", "version": "2.15.0", "libraries": {"oneDNN": "3.9"}}
//   {"event": "network", "parameters": 25559081, "forward_macs": 3858000000}
//   {"event": "check", "losses": [8.05, 7.93], "values": "checked.f32"}
//   {"event": "trial", "mode": "compile", "seconds": 0.31}
//   {"event": "trial", "mode": "compile", "problem": "no C++ compiler"}
//   {"event": "step", "step": 1, "begin": 81.25, "end": 81.61, "loss": 7.91,
//    "phases": {"forward": 0.12, "backward": 0.22}}
//   {"event": "done", "peak_memory_bytes": 812345344}
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "measure/step_meter.h"

namespace lockstep {

inline constexpr int kFrameworkProtocol = 1;

struct HelloEvent {
  std::string framework, version;
  std::map<std::string, std::string> libraries;
  std::string device;         // "cpu", "cuda:1"; empty: it does not say
  std::string communication;  // "gloo"; empty: none
};
struct NetworkEvent {
  int64_t parameters = 0;
  std::optional<int64_t> forward_macs;
};
struct CheckEvent {
  std::vector<double> losses;         // of the first steps
  std::optional<std::string> values;  // file beside job.json: what they changed
};
struct TrialEvent {
  std::string mode;
  double seconds = 0;   // of a step
  std::string problem;  // why the mode cannot be used; empty: it can
};
struct StepEvent {
  int step = 0;                // from 1, warm-up included
  Seconds begin{}, end{};      // on the host's monotonic clock
  std::optional<double> loss;  // without L2, mean over the batch
  std::array<std::optional<double>, kPhaseNames.size()> phases = {};  // in seconds
};
struct DoneEvent {
  std::optional<int64_t> peak_memory_bytes;
};

using FrameworkEvent =
    std::variant<HelloEvent, NetworkEvent, CheckEvent, TrialEvent, StepEvent, DoneEvent>;

// Absent: an ordinary line. Throws Error for a line with the mark that makes no sense.
std::optional<FrameworkEvent> parse_framework_line(std::string_view line);

}  // namespace lockstep
