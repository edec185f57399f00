// input_file.h: a file for thread-safe random-access reads, with errors for users.
#pragma once

#include <string>

#include "data/formats/bytes.h"

namespace lockstep {

class InputFile {
 public:
  explicit InputFile(std::string path);  // throws Error: missing, no permission, a directory
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }  // when it was opened

  // Fills `out`. Throws Error if the file is too short or cannot be read.
  void read_at(int64_t offset, std::span<uint8_t> out) const;
  // Asks the kernel to read this part ahead. Never waits.
  void will_need(int64_t offset, int64_t bytes) const;

 private:
  std::string path_;
  int descriptor_;
  int64_t bytes_;
};

// Throws Error when the file has more than `most_bytes`.
ByteBuffer read_whole(const std::string& path, int64_t most_bytes);

}  // namespace lockstep
