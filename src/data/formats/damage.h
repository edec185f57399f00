// damage.h: handles damaged data: by default the run stops at the first damage; with --skip-corrupt
// it is counted and training continues.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace lockstep {

// Data that an input skipped.
struct Skipped {
  std::vector<int64_t> examples = {};   // different ones, sorted
  int64_t files = 0;                    // unreadable, or readable only in part
  std::vector<std::string> lines = {};  // reasons of the first few

  int64_t count() const { return files + std::ssize(examples); }
};

// Merges the counts of ranks that read the same data: all open every file, and in later epochs a
// rank may read an example that another rank has read.
Skipped joined(const Skipped& one, const Skipped& other);

class Damage {
 public:
  enum class Answer { Stop, Skip };
  explicit Damage(Answer answer = Answer::Stop) : answer_(answer) {}

  // Call when something could not be read: rethrows `error`, or counts it and returns. Thread-safe.
  // The same example counts once over all epochs. Absent example: a file, from some offset on.
  void met(const Error& error, std::optional<int64_t> example = {});
  int64_t count() const;
  Skipped skipped() const;

 private:
  Answer answer_;
  mutable std::mutex mutex_;
  int64_t files_ = 0;
  std::set<int64_t> examples_;
  std::vector<std::string> lines_;
};

}  // namespace lockstep
