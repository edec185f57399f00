// damage.h: what happens when data is damaged: by default the run stops at the first piece;
// with --skip-corrupt it is counted and training goes on.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace lockstep {

// What an input did without.
struct Skipped {
  std::vector<int64_t> examples = {};   // different ones, sorted
  int64_t files = 0;                    // that cannot be read, or only up to some place
  std::vector<std::string> lines = {};  // why, of the first few

  int64_t count() const { return files + std::ssize(examples); }
};

// Of ranks that read the same data: all open every file, and in later epochs any of them may meet
// an example that another has met.
Skipped joined(const Skipped& one, const Skipped& other);

class Damage {
 public:
  enum class Answer { Stop, Skip };
  explicit Damage(Answer answer = Answer::Stop) : answer_(answer) {}

  // Something could not be read: throws `error` again, or notes it and returns. Any thread. The
  // same example counts once, however many epochs meet it; absent: it is a file, from some place
  // on.
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
