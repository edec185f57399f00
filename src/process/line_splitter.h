// line_splitter.h: makes lines of the bytes that a program writes, in bounded memory.
//
// Programs write half lines, lines of a megabyte, and bytes that are no text. A line that grows
// past the limit is cut there and its rest dropped; a carriage return ends a line as a newline
// does, because progress bars use it. What cannot be printed becomes '?', so a line can be shown
// on a terminal and kept in JSON.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lockstep {

struct Line {
  std::string text;
  bool whole = true;  // false: cut, or never ended; numbers in it may lack digits
};
using LineSink = std::function<void(const Line& line)>;

class LineSplitter {
 public:
  static constexpr size_t kLongestLine = 16 * 1024;

  // Calls `sink` for every line that `bytes` completes. Empty lines are left out.
  void add(std::string_view bytes, const LineSink& sink);
  void finish(const LineSink& sink);  // passes on what is left, a line that never ended

 private:
  void pass_on(const LineSink& sink, bool ended);

  std::string line_;
  bool cut_ = false;
};

std::string printable(std::string_view bytes);  // UTF-8 and tabs stay, all else becomes '?'

}  // namespace lockstep
