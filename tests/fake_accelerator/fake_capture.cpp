#include "fake_accelerator/fake_capture.h"

#include <random>

namespace lockstep::fake {

void FakeCapture::add(FakeStream& stream, Task task) {
  const std::lock_guard lock(mutex_);
  nodes_.push_back({std::move(task), last_[&stream]});
  last_[&stream] = {nodes_.size() - 1};
}

FakeCapture::Nodes FakeCapture::last_of(FakeStream& stream) {
  const std::lock_guard lock(mutex_);
  return last_[&stream];
}

void FakeCapture::wait(FakeStream& stream, const Nodes& nodes) {
  const std::lock_guard lock(mutex_);
  last_[&stream].insert(nodes.begin(), nodes.end());
}

FakeCapture::Nodes FakeCapture::ancestors_of(const Nodes& nodes) const {
  Nodes found = nodes;
  for (std::vector<size_t> next(nodes.begin(), nodes.end()); !next.empty();) {
    const size_t node = next.back();
    next.pop_back();
    for (const size_t before : nodes_[node].after) {
      if (found.insert(before).second) next.push_back(before);
    }
  }
  return found;
}

std::vector<FakeStream*> FakeCapture::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  std::vector<FakeStream*> streams;
  for (const auto& [stream, nodes] : last_) streams.push_back(stream);
  return streams;
}

bool FakeCapture::joined() {
  const std::lock_guard lock(mutex_);
  return ancestors_of(last_[origin_]).size() == nodes_.size();
}

void FakeCapture::run(uint64_t order) const {
  std::minstd_rand random(static_cast<uint32_t>(order % 1000003) + 1);
  std::vector<size_t> missing(nodes_.size()), ready;
  std::vector<std::vector<size_t>> followers(nodes_.size());
  for (size_t node = 0; node < nodes_.size(); ++node) {
    missing[node] = nodes_[node].after.size();
    for (const size_t before : nodes_[node].after) followers[before].push_back(node);
    if (missing[node] == 0) ready.push_back(node);
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const size_t node = ready.back();
    ready.pop_back();
    nodes_[node].task();
    for (const size_t follower : followers[node]) {
      if (--missing[follower] == 0) ready.push_back(follower);
    }
  }
}

}  // namespace lockstep::fake
