// row_file.h: rows of numbers as a check writes them: after each step all of them, as f32.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

class RowFile {
 public:
  explicit RowFile(const std::filesystem::path& path) : file_(path, std::ios::binary) {}

  // The next `size` numbers; fewer bytes than that leave ended() true.
  std::vector<float> next(int64_t size);
  bool ended() const { return !file_; }

 private:
  std::ifstream file_;
};

// Of two rows of one size, as vectors.
double distance_between(std::span<const float> a, std::span<const float> b);
double length_of(std::span<const float> row);

}  // namespace lockstep
