// framework_watch.h: what a worker does while its framework trains: it looks for interrupts, for
// ranks that ended and for a framework that hangs, and passes on the mode that all ranks use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "process/run_commands.h"
#include "run/framework/framework_listener.h"
#include "run/group.h"

namespace lockstep {

class FrameworkWatch {
 public:
  // Borrows all of it.
  FrameworkWatch(const RunPlan& plan, Group& group, const FrameworkListener& listener);

  // Throws Error when a rank is gone, the framework hangs or has another version than on rank 0.
  Next poll();
  std::vector<StdinMessage> messages();  // the mode, once rank 0 has tried all
  const std::optional<std::string>& mode() const { return mode_; }  // if modes were tried
  // Until the framework of every rank has ended, however long that takes. Throws Error like poll().
  void wait_for_all();

 private:
  void check_progress() const;
  void check_version();

  const RunPlan& plan_;
  Group& group_;
  const FrameworkListener& listener_;
  InterruptWatch interrupts_;
  std::optional<std::string> mode_;
  bool version_checked_ = false;
};

}  // namespace lockstep
