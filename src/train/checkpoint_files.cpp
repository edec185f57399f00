#include "train/checkpoint_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "base/atomic_file.h"
#include "base/error.h"
#include "data/formats/input_file.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "model.ckpt-";

// Of "model.ckpt-120": 120.
std::optional<int64_t> step_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kPrefix)) return {};
  int64_t step = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
  if (error != std::errc() || stop != end || step < 0) return {};
  return step;
}

bool names_checkpoint(const std::string& place) {
  std::error_code error;
  return step_of(place) && fs::is_regular_file(place, error);
}

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// Of "model.ckpt-120", under the name that it has before it is whole.
bool is_half_written(const fs::path& path) {
  const std::optional<std::string> target = target_of_temporary(path.filename().string());
  return target && step_of(*target).has_value();
}

}  // namespace

std::vector<CheckpointFile> list_checkpoints(const std::string& directory) {
  std::vector<CheckpointFile> files;
  std::error_code error;
  fs::directory_iterator entries(directory, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::optional<int64_t> step = step_of(entries->path());
    if (step) files.push_back({entries->path().string(), *step});
  }
  // Taking an error for an empty directory would start training from the beginning.
  const bool missing =
      error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  if (error && !missing) throw Error("cannot read directory {}: {}", directory, error.message());
  std::ranges::sort(files, {}, &CheckpointFile::step);
  return files;
}

std::string newest_path(const std::string& place) {
  if (names_checkpoint(place)) return place;
  const std::vector<CheckpointFile> files = list_checkpoints(place);
  return files.empty() ? "" : files.back().path;
}

Checkpoint read_checkpoint(const std::string& path) {
  const InputFile file(path);
  Memory memory(file.bytes());
  file.read_at(0, {reinterpret_cast<uint8_t*>(memory.data()), static_cast<size_t>(file.bytes())});
  try {
    return Checkpoint(std::move(memory));
  } catch (const Error& error) {  // adds the name
    throw Error("{}: {}", path, error.what());
  }
}

std::optional<FoundCheckpoint> newest_checkpoint(const std::string& place, const Tell& tell) {
  if (names_checkpoint(place)) {
    return FoundCheckpoint{place, read_checkpoint(place)};
  }
  std::vector<CheckpointFile> files = list_checkpoints(place);
  const bool any = !files.empty();
  std::set<std::string> tried;
  while (!files.empty()) {
    const std::string path = files.back().path;
    files.pop_back();
    if (!tried.insert(path).second) continue;
    try {
      return FoundCheckpoint{path, read_checkpoint(path)};
    } catch (const Error& error) {  // the one before it may be whole
      if (is_there(path)) {
        tell(fmt::format("warning: {}", error.what()));
      } else {
        files = list_checkpoints(place);  // the run that removed it has written a newer one
      }
    }
  }
  if (any)
    throw Error("no checkpoint in {} is readable; remove them to start from the beginning", place);
  return {};
}

DirectoryLock lock_train_dir(const std::string& directory) {
  constexpr Seconds kPatience{5};
  DirectoryLock lock(directory, kPatience);
  if (lock.is_elsewhere())
    throw UsageError("another run is using {}; wait for it or use another --train-dir", directory);
  return lock;
}

CheckpointWriter::CheckpointWriter(std::string directory, int keep)
    : directory_(std::move(directory)), keep_(keep) {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) throw UsageError("cannot create --train-dir {}: {}", directory_, error.message());
  const std::string why = why_unwritable((fs::path(directory_) / kPrefix).string());
  if (!why.empty()) throw UsageError("cannot write to --train-dir {}: {}", directory_, why);
}

void CheckpointWriter::remove_half_written() const {
  std::error_code ignored;  // a file that stays is no harm
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, ignored)) {
    if (is_half_written(entry.path())) fs::remove(entry.path(), ignored);
  }
}

std::string CheckpointWriter::write(const Checkpoint& checkpoint) {
  const Memory& bytes = checkpoint.memory();
  const std::string name = fmt::format("{}{}", kPrefix, checkpoint.facts().step);
  const std::string path = (fs::path(directory_) / name).string();
  write_whole_file(
      path, {reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(bytes.bytes())});
  remove_before(checkpoint.facts().step);
  return path;
}

// Later ones, which a run left that went on from an earlier one because they are damaged, do not
// count: the one just written must stay.
void CheckpointWriter::remove_before(int64_t step) const {
  if (keep_ == 0) return;
  std::vector<CheckpointFile> older = list_checkpoints(directory_);
  std::erase_if(older, [&](const CheckpointFile& file) { return file.step >= step; });
  std::error_code ignored;  // a file that stays is no harm
  for (size_t i = 0; i + static_cast<size_t>(keep_) < older.size() + 1; ++i) {
    fs::remove(older[i].path, ignored);
  }
}

}  // namespace lockstep
