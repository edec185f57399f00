#include "base/printable.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "base/error.h"

namespace lockstep {
namespace {

unsigned char byte_at(std::string_view text, size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Bytes of the UTF-8 character that begins at `i`; 0 when none does. Characters that only control
// a terminal count as none, and so do overlong forms, surrogates and what is past U+10FFFF.
size_t character_length(std::string_view text, size_t i) {
  const unsigned char first = byte_at(text, i);
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\t' ? 1 : 0;
  const auto continues = [&](size_t at) { return (byte_at(text, at) & 0xc0) == 0x80; };
  const unsigned char second = byte_at(text, i + 1);
  if (!continues(i + 1)) return 0;
  if (first >= 0xc2 && first <= 0xdf) return first == 0xc2 && second < 0xa0 ? 0 : 2;
  if (!continues(i + 2)) return 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && second < 0xa0;
    const bool surrogate = first == 0xed && second >= 0xa0;
    return overlong || surrogate ? 0 : 3;
  }
  if (!continues(i + 3)) return 0;
  const bool in_range = (first == 0xf0 && second >= 0x90) || (first > 0xf0 && first < 0xf4) ||
                        (first == 0xf4 && second < 0x90);
  return in_range ? 4 : 0;
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = character_length(bytes, i);
    if (length == 0) {
      text += '?';
    } else {
      text += bytes.substr(i, length);
    }
    i += std::max<size_t>(length, 1);
  }
  return text;
}

bool commands_terminal(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const bool line_end = text[i] == '\n' || text.substr(i, 2) == "\r\n";
    const size_t length = line_end ? 1 : character_length(text, i);
    if (length == 0) return true;
    i += length;
  }
  return false;
}

std::string message_of(const std::exception& error) {
  const std::string message = error.what();
  if (dynamic_cast<const Error*>(&error)) return message;
  if (const auto* files = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    const std::string path = files->path1().string();
    return (path.empty() ? "working directory" : path) + ": " + files->code().message();
  }
  return message.substr(0, message.find('\n'));
}

}  // namespace lockstep
