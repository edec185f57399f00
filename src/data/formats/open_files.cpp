#include "data/formats/open_files.h"

namespace lockstep {

std::shared_ptr<const InputFile> OpenFiles::get(size_t file) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = open_.find(file); found != open_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second.place);
    return found->second.file;
  }
  auto opened = std::make_shared<const InputFile>(paths_[file]);
  if (open_.size() >= most_open_) {
    open_.erase(recent_.back());
    recent_.pop_back();
  }
  recent_.push_front(file);
  open_[file] = {opened, recent_.begin()};
  return opened;
}

}  // namespace lockstep
