// line_splitter.h: splits the output of a program into lines, in bounded memory.
//
// Programs write partial lines, lines of a megabyte, and bytes that are not text. A line longer
// than the limit is cut and its rest dropped. A carriage return ends a line like a newline, because
// progress bars use it. Unprintable bytes become '?', so that a line can be shown on a terminal and
// stored in JSON.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lockstep {

struct Line {
  std::string text;
  bool whole = true;  // false: cut or unterminated, so that digits may be missing
};
using LineSink = std::function<void(const Line& line)>;

class LineSplitter {
 public:
  static constexpr size_t kLongestLine = 16 * 1024;

  // Calls `sink` for every line that `bytes` completes. Empty lines are left out.
  void add(std::string_view bytes, const LineSink& sink);
  void finish(const LineSink& sink);  // passes on the rest, an unterminated line

 private:
  void pass_on(const LineSink& sink, bool ended);

  std::string line_;
  bool cut_ = false;
};

}  // namespace lockstep
