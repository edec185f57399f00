#include "data/formats/folder_source.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "data/formats/input_file.h"
#include "data/formats/list_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kLargestFile = int64_t{1} << 30;

bool is_jpeg_name(const fs::path& path) {
  const std::string extension = lower_case(path.extension().string());
  return extension == ".jpg" || extension == ".jpeg";
}

}  // namespace

bool is_folder_of_classes(const fs::path& folder) {
  for (const fs::path& entry : list_directory(folder)) {
    if (!fs::is_directory(entry)) continue;
    if (std::ranges::any_of(list_directory(entry), is_jpeg_name)) return true;
  }
  return false;
}

std::vector<std::string> classes_in(const fs::path& folder) {
  std::vector<std::string> classes;
  for (const fs::path& entry : list_directory(folder)) {
    if (fs::is_directory(entry)) classes.push_back(entry.filename().string());
  }
  return classes;
}

FolderSource::FolderSource(const fs::path& folder, std::span<const std::string> classes) {
  for (const std::string& name : classes_in(folder)) {
    const auto known = std::ranges::find(classes, name);
    if (known == classes.end()) {
      throw Error("{}: not a class of the training data", (folder / name).string());
    }
    for (const fs::path& file : list_directory(folder / name)) {
      if (!is_jpeg_name(file)) continue;
      files_.push_back({file.string(), known - classes.begin() + 1});
    }
  }
}

int64_t FolderSource::bytes() const {
  int64_t bytes = 0;
  for (const File& file : files_) {
    std::error_code unknown;  // then reading will tell
    const uintmax_t size = fs::file_size(file.path, unknown);
    if (!unknown) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

void FolderSource::read(int64_t index, EncodedExample& out) const {
  const File& file = files_[static_cast<size_t>(index)];
  out.storage = read_whole(file.path, kLargestFile);
  out.form = EncodedExample::Form::Jpeg;
  out.bytes = out.storage;
  out.label = file.label;
  out.boxes.clear();
}

}  // namespace lockstep
