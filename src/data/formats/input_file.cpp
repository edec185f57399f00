#include "data/formats/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

int64_t size_of(int descriptor, const std::string& path) {
  struct stat facts = {};
  if (fstat(descriptor, &facts) != 0) throw Error("cannot read {}: {}", path, reason(errno));
  if (!S_ISREG(facts.st_mode)) throw Error("cannot read {}: not a regular file", path);
  return facts.st_size;
}

}  // namespace

InputFile::InputFile(std::string path)
    : path_(std::move(path)),  // without waiting: whoever opens a pipe would wait for its writer
      descriptor_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
      bytes_(0) {
  if (descriptor_ < 0) throw Error("cannot read {}: {}", path_, reason(errno));
  try {
    bytes_ = size_of(descriptor_, path_);
  } catch (...) {
    close(descriptor_);
    throw;
  }
  // Records are read in shuffled order and announced by will_need(); the kernel's own guesses
  // would fetch what nobody asked for.
  posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM);
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read_at(int64_t offset, std::span<uint8_t> out) const {
  while (!out.empty()) {
    const ssize_t count = pread(descriptor_, out.data(), out.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error("{}, byte {}: read error: {}", path_, offset, reason(errno));
    if (count == 0) {
      throw Error("{}, byte {}: file is truncated, {} bytes are missing", path_, offset,
                  out.size());
    }
    out = out.subspan(static_cast<size_t>(count));
    offset += count;
  }
}

void InputFile::will_need(int64_t offset, int64_t bytes) const {
  posix_fadvise(descriptor_, offset, bytes, POSIX_FADV_WILLNEED);  // advice: failing is no failure
}

ByteBuffer read_whole(const std::string& path, int64_t most_bytes) {
  const InputFile file(path);
  if (file.bytes() > most_bytes) {
    throw Error("{} has {}; the limit for this format is {}", path, bytes_text(file.bytes()),
                bytes_text(most_bytes));
  }
  ByteBuffer bytes(static_cast<size_t>(file.bytes()));
  file.read_at(0, bytes);
  return bytes;
}

}  // namespace lockstep
