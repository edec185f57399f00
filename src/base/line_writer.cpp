#include "base/line_writer.h"

#include <unistd.h>

#include <cerrno>

namespace lockstep {
namespace {

// Who does not listen any more misses it.
void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

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

void LineWriter::flush_held() {
  holding_ = false;
  write_all(file_, held_);
  held_.clear();
}

void LineWriter::hand_over(size_t count) {
  const std::string_view lines = std::string_view(text_).substr(0, count);
  if (holding_) {
    keep(lines);
  } else {
    write_all(file_, lines);
  }
  text_.erase(0, count);
}

void LineWriter::keep(std::string_view lines) {
  constexpr size_t kMost = 1 << 16;
  held_ += lines;
  if (held_.size() <= kMost) return;
  const size_t end = held_.find('\n', held_.size() - kMost);
  held_.erase(0, end == std::string::npos ? held_.size() - kMost : end + 1);
}

}  // namespace lockstep
