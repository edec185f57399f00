// checkpoint_files.h: the checkpoints of a run in its directory: model.ckpt-STEP, one file each.
//
// A file appears whole or not at all (base/atomic_file.h): a run that is killed at any moment
// leaves the checkpoints that it had finished. Where the newest cannot be read all the same,
// because a disk failed or somebody cut it short, the one before it is used.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/directory_lock.h"
#include "train/checkpoint.h"

namespace lockstep {

struct CheckpointFile {
  std::string path;
  int64_t step = 0;
};

struct FoundCheckpoint {
  std::string path;
  Checkpoint checkpoint;
};

// Oldest first; none when there is no such directory. Throws Error when it cannot be looked into.
std::vector<CheckpointFile> list_checkpoints(const std::string& directory);

// Of the newest, or `place` itself where it names one; empty: there is none.
std::string newest_path(const std::string& place);

// Of one file. Throws Error that names it.
Checkpoint read_checkpoint(const std::string& path);

// The newest that can be read, or the one that `place` names itself; absent: there is none. Each
// that had to be passed over is told, but not those that another run, which goes on, has removed
// meanwhile. Throws Error when there are some and none can be read: a run
// that silently began anew would throw them away.
using Tell = std::function<void(const std::string& line)>;
std::optional<FoundCheckpoint> newest_checkpoint(const std::string& place, const Tell& tell);

// Whoever trains in a directory, as long as this lives. Throws UsageError when somebody else does;
// one who was just killed has a moment to be gone.
DirectoryLock lock_train_dir(const std::string& directory);

// Whoever writes checkpoints to a directory.
class CheckpointWriter {
 public:
  // `keep`: so many, the one just written and those before it; 0: all. Makes the directory and
  // throws Error when nothing can be written there; touches no file in it.
  CheckpointWriter(std::string directory, int keep);

  void remove_half_written() const;                 // that runs left that were killed
  std::string write(const Checkpoint& checkpoint);  // returns the path; throws Error

 private:
  void remove_before(int64_t step) const;

  std::string directory_;
  int keep_;
};

}  // namespace lockstep
