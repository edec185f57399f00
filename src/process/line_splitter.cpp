#include "process/line_splitter.h"

#include <algorithm>

#include "base/printable.h"

namespace lockstep {

void LineSplitter::add(std::string_view bytes, const LineSink& sink) {
  while (!bytes.empty()) {
    const size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    const size_t room = kLongestLine - line_.size();
    cut_ = cut_ || part.size() > room;
    line_ += part.substr(0, room);
    if (end == std::string_view::npos) return;
    pass_on(sink, /*ended=*/true);
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::finish(const LineSink& sink) { pass_on(sink, /*ended=*/false); }

void LineSplitter::pass_on(const LineSink& sink, bool ended) {
  if (!line_.empty()) sink({.text = printable(line_), .whole = ended && !cut_});
  line_.clear();
  cut_ = false;
}

}  // namespace lockstep
