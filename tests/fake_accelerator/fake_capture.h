// fake_capture.h: what streams of the fake record while a graph is captured, and its replay.
//
// Work that is queued on a captured stream becomes a node of the graph. It comes after the node
// before it on that stream, and after what the stream waits for by an event. A stream joins by such
// a wait, as in CUDA. A replay runs the nodes in any order that these edges allow, another one each
// time: a missing wait shows.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace lockstep::fake {

class FakeStream;

class FakeCapture {
 public:
  using Task = std::function<void()>;
  using Nodes = std::set<size_t>;

  explicit FakeCapture(FakeStream& origin) : origin_(&origin) { last_[&origin] = {}; }

  void add(FakeStream& stream, Task task);
  Nodes last_of(FakeStream& stream);                  // an event recorded now stands for these
  void wait(FakeStream& stream, const Nodes& nodes);  // the stream may join by it
  std::vector<FakeStream*> end();                     // all streams
  bool joined();                                      // the first stream waits for all others
  void run(uint64_t order) const;                     // after end()
  std::atomic<int> launches = 0;                      // that have not ended
  bool ended() const { return ended_; }
  size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    Task task;
    Nodes after;
  };
  Nodes ancestors_of(const Nodes& nodes) const;

  std::mutex mutex_;
  FakeStream* origin_;
  std::atomic<bool> ended_ = false;
  std::vector<Node> nodes_;
  std::map<FakeStream*, Nodes> last_;  // what the next node of a stream comes after
};

}  // namespace lockstep::fake
