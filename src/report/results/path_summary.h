// path_summary.h: where the time of a mean step went, along its critical path.
//
// The path is walked back from the end of the last rank (analysis/step_walk.h). A result keeps only
// these means, so that a report on thousands of launches needs no raw samples.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class PathPart { Input, Compute, Late, Queue, Wire, Servers, Between };
inline constexpr std::array<std::string_view, 7> kPathPartNames = {
    "input", "compute", "late_ranks", "queue", "wire", "servers", "between_steps"};
using PathSeconds = std::array<double, kPathPartNames.size()>;

inline constexpr size_t kMostListed = 4;  // late ranks and servers of a launch: the worst

// A rank that the others waited for, alone or with others.
struct LateRank {
  int rank = 0;
  std::string host = {};
  double fraction = 0;     // of the steps in which it was late
  double seconds = 0;      // by how much, mean of those steps
  std::string where = {};  // "backward of conv2", "forward"; empty: throughout the step
  double cost() const { return fraction * seconds; }  // per step
};

// Time in a parameter server's queue, or beyond the transfer itself if the server does not measure.
struct ServerWait {
  int server = 0;        // from 0
  std::string variable;  // that took most of it
  double seconds = 0;    // per step, of all its variables
};

struct PathSummary {
  int steps = 0;
  PathSeconds parts{};                   // seconds per step; they add up to the mean step
  std::vector<LateRank> late = {};       // worst first, a few
  std::vector<ServerWait> servers = {};  // the same
  bool servers_measured = false;         // by themselves: one can be told from the wire
  double transfer_seconds = 0;           // per step in which something was under way
  int64_t transfer_bytes = 0;            // per step
  int64_t last_bytes = 0;                // of the transfer that ends last

  double& part(PathPart which) { return parts[static_cast<size_t>(which)]; }
  double part(PathPart which) const { return parts[static_cast<size_t>(which)]; }
};

}  // namespace lockstep
