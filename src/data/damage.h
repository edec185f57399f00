// damage.h: what happens when data is damaged: by default the run stops at the first piece;
// with --skip-corrupt it is counted and training goes on.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/error.h"

namespace lockstep {

class Damage {
 public:
  enum class Answer { Stop, Skip };
  explicit Damage(Answer answer = Answer::Stop) : answer_(answer) {}

  // Something could not be read: throws `error` again, or notes it and returns. Any thread. The
  // same example counts once, however many epochs meet it; absent: it is a whole file.
  void met(const Error& error, std::optional<int64_t> example = {}) {
    if (answer_ == Answer::Stop) throw Error(std::string(error.what()));
    const std::lock_guard lock(mutex_);
    if (example && !examples_.insert(*example).second) return;
    ++count_;
    if (lines_.size() < kMostLines) lines_.emplace_back(error.what());
  }
  int64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  std::vector<std::string> lines() const {  // of the first few
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  static constexpr size_t kMostLines = 20;
  Answer answer_;
  mutable std::mutex mutex_;
  int64_t count_ = 0;
  std::unordered_set<int64_t> examples_;
  std::vector<std::string> lines_;
};

}  // namespace lockstep
