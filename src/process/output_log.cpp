#include "process/output_log.h"

#include <fcntl.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/utc_text.h"

namespace lockstep {

OutputLog::OutputLog(const std::string& directory, const std::string& command_name) {
  if (directory.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw UsageError("cannot create {}: {}", directory, error.message());
  const std::filesystem::path path =
      std::filesystem::path(directory) / (plain_name(command_name) + ".log");
  file_ = FileDescriptor(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file_.is_open()) {
    throw Error("cannot write {}: {}", path.string(),
                errno == ELOOP ? "it is a link" : std::strerror(errno));
  }
}

void OutputLog::add(std::string_view bytes) {
  if (!file_.is_open()) return;
  const std::string time = utc_text(std::chrono::system_clock::now()) + " ";
  std::string text;
  while (!bytes.empty()) {
    if (at_start_of_line_) text += time;
    const size_t end = bytes.find('\n');
    at_start_of_line_ = end != std::string_view::npos;
    const size_t count = at_start_of_line_ ? end + 1 : bytes.size();
    text += bytes.substr(0, count);
    bytes.remove_prefix(count);
  }
  write_bytes(text);
}

void OutputLog::write_bytes(std::string_view bytes) {
  while (file_.is_open() && !bytes.empty()) {
    const ssize_t count = write(file_.number(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      trouble_ = std::strerror(errno);
      file_.reset();
    }
  }
}

std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char letter : name) {
    const bool kept = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
                      (letter == '.' && !plain.empty());
    if (kept) {
      plain += letter;
    } else if (!plain.empty() && plain.back() != '-') {
      plain += '-';
    }
  }
  while (plain.ends_with('-')) plain.pop_back();
  return plain;
}

}  // namespace lockstep
