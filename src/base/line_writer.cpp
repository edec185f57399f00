#include "base/line_writer.h"

#include <unistd.h>

#include <cerrno>

namespace lockstep {

LineWriter::int_type LineWriter::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
  const char one = traits_type::to_char_type(letter);
  xsputn(&one, 1);
  return letter;
}

std::streamsize LineWriter::xsputn(const char* text, std::streamsize count) {
  text_.append(text, static_cast<size_t>(count));
  if (const size_t end = text_.rfind('\n'); end != std::string::npos) hand_over(end + 1);
  return count;
}

int LineWriter::sync() {
  hand_over(text_.size());
  return 0;
}

// Who does not listen any more misses it.
void LineWriter::hand_over(size_t count) {
  for (size_t done = 0; done < count;) {
    const ssize_t written = write(file_, text_.data() + done, count - done);
    if (written < 0 && errno != EINTR) break;
    if (written > 0) done += static_cast<size_t>(written);
  }
  text_.erase(0, count);
}

}  // namespace lockstep
