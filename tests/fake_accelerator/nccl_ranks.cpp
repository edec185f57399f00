// nccl_ranks.cpp: the contract of communicators on NCCL, over the fake accelerator. Ranks are
// threads; sums and broadcasts go through device memory and NCCL, messages and barriers, which NCCL
// is not used for, through shared memory.
#include <memory>

#include "comm/backends.h"
#include "fake_accelerator/fake_device.h"
#include "fake_accelerator/fake_row.h"
#include "fake_accelerator/nccl_threads.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

constexpr int kMostRanks = 8;

// Of all communicators of a rank, one after the other.
fake::FakeStream& stream_of_rank(int rank) {
  static const std::vector<fake::FakeStream*> streams = [] {
    std::vector<fake::FakeStream*> made;
    for (int i = 0; i < kMostRanks; ++i) made.push_back(&fake::new_stream(i % fake::kDevices));
    return made;
  }();
  return *streams[static_cast<size_t>(rank)];
}

class OverDevices : public Communicator {
 public:
  OverDevices(std::unique_ptr<Communicator> host, std::unique_ptr<DeviceCommunicator> devices)
      : host_(std::move(host)), devices_(std::move(devices)) {}

  int rank() const override { return devices_->rank(); }
  int size() const override { return devices_->size(); }

  void all_reduce(std::span<float> data) override {
    on_device(data, [&](FakeRow& row) { devices_->all_reduce(row.row(), row.stream()); });
  }
  void broadcast(std::span<float> data, int root) override {
    on_device(data, [&](FakeRow& row) { devices_->broadcast(row.row(), root, row.stream()); });
  }

  void barrier() override { host_->barrier(); }
  Memory allocate(int64_t bytes) override { return host_->allocate(bytes); }
  void send_bytes(std::span<const std::byte> data, int to, int tag) override {
    host_->send_bytes(data, to, tag);
  }
  void recv_bytes(std::span<std::byte> data, int from, int tag) override {
    host_->recv_bytes(data, from, tag);
  }
  int recv_any_bytes(std::span<std::byte> data, int tag) override {
    return host_->recv_any_bytes(data, tag);
  }
  void exchange_bytes(const Exchange<std::byte>& exchange) override {
    host_->exchange_bytes(exchange);
  }

 private:
  template <typename Queue>
  void on_device(std::span<float> data, const Queue& queue) {
    if (data.empty()) return;
    FakeRow row(stream_of_rank(rank()), std::ssize(data));
    row.write(data);
    queue(row);
    std::ranges::copy(row.read(), data.begin());
    devices_->check(Seconds{0});
  }

  std::unique_ptr<Communicator> host_;
  std::unique_ptr<DeviceCommunicator> devices_;
};

std::vector<std::string> run_nccl(int ranks, const CommOptions& options,
                                  const RankFunction& function) {
  return run_with_stores(ranks, options.stall_timeout, [&](const Roster& roster, Store& store) {
    const CommOptions beside = {.name = "beside", .stall_timeout = options.stall_timeout};
    OverDevices comm(make_communicator("shm", roster, beside, store),
                     make_nccl(roster, options, store));
    function(comm);
    comm.barrier();  // none leaves while another still reads from it
  });
}

const RankRunner kRunners[] = {{"nccl", run_nccl}};

}  // namespace

std::span<const RankRunner> rank_runners() { return kRunners; }
int most_ranks() { return kMostRanks; }

}  // namespace lockstep
