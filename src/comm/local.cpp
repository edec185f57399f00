#include "comm/local.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

#include "base/error.h"
#include "comm/chunk.h"
#include "comm/reduce_kernels.h"

namespace lockstep {
namespace {

using Message = std::vector<std::byte>;
using Address = std::tuple<int, int, int>;  // to, tag, from

// Everything is guarded by one mutex; every change wakes everyone.
class Meeting {
 public:
  Meeting(int size, Seconds stall_timeout)
      : stall_timeout_(stall_timeout), arrivals_(size), left_(size), buffers_(size) {}

  int size() const { return static_cast<int>(arrivals_.size()); }

  void barrier(int rank) {
    std::unique_lock lock(mutex_);
    const int64_t goal = ++arrivals_[rank];
    changed_.notify_all();
    for (int other = 0; other < size(); ++other) {
      wait(lock, other, [&] { return arrivals_[other] >= goal; });
    }
  }

  void leave(int rank) {
    const std::lock_guard lock(mutex_);
    left_[rank] = true;
    changed_.notify_all();
  }

  void show(int rank, std::span<float> data) {
    const std::lock_guard lock(mutex_);
    buffers_[rank] = data;
  }
  std::vector<std::span<float>> shown() {
    const std::lock_guard lock(mutex_);
    return buffers_;
  }

  void post(const Address& address, std::span<const std::byte> data) {
    const std::lock_guard lock(mutex_);
    mail_[address].emplace_back(data.begin(), data.end());
    changed_.notify_all();
  }

  void fetch(const Address& address, std::span<std::byte> data) {
    std::unique_lock lock(mutex_);
    std::deque<Message>& box = mail_[address];
    wait(lock, std::get<2>(address), [&] { return !box.empty(); });
    take(box, data);
  }

  int fetch_any(int rank, int tag, std::span<std::byte> data) {
    std::unique_lock lock(mutex_);
    auto found = mail_.end();
    wait(lock, -1, [&] {
      found = std::find_if(mail_.begin(), mail_.end(), [&](const auto& box) {
        const auto& [to, box_tag, from] = box.first;
        return to == rank && box_tag == tag && !box.second.empty();
      });
      return found != mail_.end();
    });
    take(found->second, data);
    return std::get<2>(found->first);
  }

 private:
  // For something that only `whom` can bring about; -1: any rank.
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>& lock, int whom, const Ready& ready) {
    const auto hopeless = [&] {
      if (whom >= 0) return static_cast<bool>(left_[whom]);
      return std::count(left_.begin(), left_.end(), true) >= size() - 1;
    };
    const bool moved =
        changed_.wait_for(lock, stall_timeout_, [&] { return ready() || hopeless(); });
    if (moved && ready()) return;
    const std::string name = whom < 0 ? "every other rank" : fmt::format("rank {}", whom);
    if (moved) throw Error("{} left while others waited for it", name);
    throw Error("{} made no progress for {:.1f} s", name, stall_timeout_.count());
  }

  static void take(std::deque<Message>& box, std::span<std::byte> data) {
    if (box.front().size() != data.size()) {
      throw Error("expected a message of {} bytes, received {}", data.size(), box.front().size());
    }
    std::copy(box.front().begin(), box.front().end(), data.begin());
    box.pop_front();
  }

  const Seconds stall_timeout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int64_t> arrivals_;  // barriers that each rank has come to
  std::vector<bool> left_;
  std::vector<std::span<float>> buffers_;
  std::map<Address, std::deque<Message>> mail_;
};

class LocalCommunicator : public Communicator {
 public:
  LocalCommunicator(std::shared_ptr<Meeting> meeting, int rank)
      : meeting_(std::move(meeting)), rank_(rank) {}
  ~LocalCommunicator() override { meeting_->leave(rank_); }

  int rank() const override { return rank_; }
  int size() const override { return meeting_->size(); }
  void barrier() override { meeting_->barrier(rank_); }
  Memory allocate(int64_t bytes) override { return Memory(bytes); }

  void all_reduce(std::span<float> data) override {
    const auto buffers = met(data);
    const ChunkRange mine = chunk_range(std::ssize(data), rank_, size());
    std::vector<float*> parts;
    for (const auto& buffer : buffers) parts.push_back(buffer.data() + mine.begin);
    sum_to_all(parts, mine.size());
    barrier();
  }

  void broadcast(std::span<float> data, int root) override {
    const auto buffers = met(data);
    if (rank_ != root) std::copy(buffers[root].begin(), buffers[root].end(), data.begin());
    barrier();
  }

  void send_bytes(std::span<const std::byte> data, int to, int tag) override {
    if (!data.empty()) meeting_->post({to, tag, rank_}, data);
  }
  void recv_bytes(std::span<std::byte> data, int from, int tag) override {
    if (!data.empty()) meeting_->fetch({rank_, tag, from}, data);
  }
  int recv_any_bytes(std::span<std::byte> data, int tag) override {
    return meeting_->fetch_any(rank_, tag, data);
  }
  void exchange_bytes(const Exchange<std::byte>& e) override {
    send_bytes(e.out, e.to, e.tag);
    recv_bytes(e.in, e.from, e.tag);
  }

 private:
  // All ranks' buffers, once all have come.
  std::vector<std::span<float>> met(std::span<float> data) {
    meeting_->show(rank_, data);
    barrier();
    auto buffers = meeting_->shown();
    for (int other = 0; other < size(); ++other) {
      if (buffers[other].size() == data.size()) continue;
      throw Error("rank {} reduces {} values, but rank {} {}", rank_, data.size(), other,
                  buffers[other].size());
    }
    return buffers;
  }

  std::shared_ptr<Meeting> meeting_;  // shared by all ranks
  int rank_;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> make_local(int size, Seconds stall_timeout) {
  const auto meeting = std::make_shared<Meeting>(size, stall_timeout);
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.push_back(std::make_unique<LocalCommunicator>(meeting, rank));
  }
  return ranks;
}

}  // namespace lockstep
