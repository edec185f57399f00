#include "data/formats/damage.h"

#include <algorithm>

#include "base/printable.h"

namespace lockstep {
namespace {

constexpr size_t kMostLines = 20;

}  // namespace

Skipped joined(const Skipped& one, const Skipped& other) {
  Skipped all = {.files = std::max(one.files, other.files), .lines = one.lines};
  std::ranges::set_union(one.examples, other.examples, std::back_inserter(all.examples));
  for (const std::string& line : other.lines) {
    const bool known = std::ranges::find(all.lines, line) != all.lines.end();
    if (!known && all.lines.size() < kMostLines) all.lines.push_back(line);
  }
  return all;
}

void Damage::met(const Error& error, std::optional<int64_t> example) {
  if (answer_ == Answer::Stop) throw Error(std::string(error.what()));
  const std::lock_guard lock(mutex_);
  if (example && !examples_.insert(*example).second) return;
  if (!example) ++files_;
  if (lines_.size() < kMostLines) lines_.push_back(printable(error.what()));
}

int64_t Damage::count() const {
  const std::lock_guard lock(mutex_);
  return files_ + std::ssize(examples_);
}

Skipped Damage::skipped() const {
  const std::lock_guard lock(mutex_);
  return {.examples = {examples_.begin(), examples_.end()}, .files = files_, .lines = lines_};
}

}  // namespace lockstep
