// progress.h: the progress line of a run on a terminal, with the estimated remaining time. Silent
// if the output is not a terminal.
#pragma once

#include <string>

#include "base/context.h"
#include "base/time.h"

namespace lockstep {

class Progress {
 public:
  explicit Progress(const Context& context)
      : out_(context.err), terminal_(context.err_is_terminal), colour_(context.colour) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Redraws at most ten times a second. `remaining`: estimated.
  void show(const std::string& what, int done, int all, Seconds remaining);
  void clear();  // before anything else is written to the same terminal

 private:
  std::ostream& out_;  // borrowed
  bool terminal_, colour_;
  bool shown_ = false;
  TimePoint last_{};
};

// "warm-up 3/10  resnet50  0:42 left"
std::string progress_text(const std::string& what, int done, int all, Seconds remaining);

}  // namespace lockstep
