#include "sweep/launch_failure.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace lockstep {
namespace {

constexpr std::string_view kSpeaker = "lockstep: ";
constexpr std::string_view kOfTheLauncher = "; the run was ended";

// The less, the more it tells: "[worker 1] lockstep: ..." is the process that failed first, and the
// launcher's own line only says which one that was.
enum class Tells { Cause, Complaint, Culprit, Nothing };

Tells what_tells(std::string_view line) {
  const size_t at = line.find(kSpeaker);
  const bool tagged =
      line.starts_with('[') && at != std::string_view::npos && at >= 2 && line[at - 2] == ']';
  if (tagged) return Tells::Cause;
  if (at != 0) return Tells::Nothing;
  return line.ends_with(kOfTheLauncher) ? Tells::Culprit : Tells::Complaint;
}

}  // namespace

std::string complaint_in(std::span<const std::string> last_lines) {
  const auto best = std::ranges::min_element(last_lines, {}, what_tells);
  if (best == last_lines.end() || what_tells(*best) == Tells::Nothing) return "";
  return best->substr(best->find(kSpeaker) + kSpeaker.size());
}

bool is_full_disk(std::string_view error) {
  return std::ranges::any_of(std::array{ENOSPC, EDQUOT}, [&](int code) {
    return error.find(std::strerror(code)) != std::string::npos;
  });
}

}  // namespace lockstep
