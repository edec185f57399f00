#include "report/render/progress.h"

#include <fmt/format.h>

#include <ostream>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr Seconds kPause{0.1};
constexpr int kBarWidth = 24;

}  // namespace

std::string progress_text(const std::string& what, int done, int all, Seconds remaining) {
  const int filled = all > 0 ? kBarWidth * done / all : 0;
  return fmt::format("{} [{:<{}}] {}/{}  {} left", what, std::string(filled, '#'), kBarWidth, done,
                     all, duration_text(remaining.count()));
}

void Progress::show(const std::string& what, int done, int all, Seconds remaining) {
  if (!terminal_ || (shown_ && seconds_since(last_) < kPause)) return;
  last_ = Clock::now();
  shown_ = true;
  const std::string text = progress_text(what, done, all, remaining);
  out_ << "\r\033[K" << (colour_ ? "\033[36m" : "") << text << (colour_ ? "\033[0m" : "")
       << std::flush;
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  out_ << "\r\033[K" << std::flush;
}

}  // namespace lockstep
