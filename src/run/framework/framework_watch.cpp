#include "run/framework/framework_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr const char* kModeKey = "framework/mode";
constexpr const char* kVersionKey = "framework/version";
constexpr int kLongerSteps = 5;  // a step may take so many times the longest one before
constexpr std::chrono::milliseconds kPause{50};

}  // namespace

FrameworkWatch::FrameworkWatch(const RunPlan& plan, Group& group, const FrameworkListener& listener)
    : plan_(plan),
      group_(group),
      listener_(listener),
      interrupts_("", InterruptWatch::Afterwards::Nothing) {}

Next FrameworkWatch::poll() {
  if (interrupts_.interrupted()) return Next::Stop;
  group_.check_all_there();
  check_progress();
  check_version();
  return Next::Continue;
}

// A framework may compile for minutes before its first step.
void FrameworkWatch::check_progress() const {
  if (!listener_.trains()) return;
  const Seconds patience =
      Seconds(plan_.config.stall_timeout) + kLongerSteps * listener_.longest_step();
  if (listener_.silence() < patience) return;
  throw Error("{} has reported no step for {:.0f} s; --stall-timeout is {} s",
              find_framework(plan_.config).framework->title, patience.count(),
              plan_.config.stall_timeout);
}

// The fastest mode of rank 0, for all ranks: ranks may measure different orders.
std::vector<StdinMessage> FrameworkWatch::messages() {
  if (mode_ || !listener_.all_tried()) return {};
  if (group_.rank() == 0) {
    const auto fastest =
        std::ranges::min_element(listener_.trials(), {}, &FrameworkTrial::step_seconds);
    group_.tell(kModeKey, fastest->mode);
  }
  mode_ = group_.told(kModeKey);
  if (!mode_) return {};
  return {{0, fmt::format("mode {}\n", *mode_)}};
}

// Hosts may differ in it, and their run would be recorded as one of the version of rank 0.
void FrameworkWatch::check_version() {
  const std::string version = listener_.version();
  if (version_checked_ || version.empty()) return;
  if (group_.rank() == 0) group_.tell(kVersionKey, version);
  const std::optional<std::string> first = group_.told(kVersionKey);
  if (!first) return;
  version_checked_ = true;
  if (*first == version) return;
  throw Error("{} is version {} on {}, but {} on {}; install one version everywhere",
              find_framework(plan_.config).framework->title, version,
              group_.roster().who(group_.rank()), *first, group_.roster().who(0));
}

void FrameworkWatch::wait_for_all() {
  check_version();
  const auto key = [](int rank) { return fmt::format("framework/ended/{}", rank); };
  group_.tell(key(group_.rank()), "");
  for (int rank = 0; rank < group_.roles().workers; ++rank) {
    while (!group_.told(key(rank))) {
      group_.check_all_there();
      std::this_thread::sleep_for(kPause);
    }
  }
  check_version();  // rank 0 has told its own by now
}

}  // namespace lockstep
