// shm.h: ranks of one host over shared memory.
//
// all_reduce cuts the data into one slice per rank. Each rank reads its slice of everyone's buffer,
// adds in the order of the ranks, and writes the sum back to everyone: every byte is read once and
// written once, and the sum does not depend on who computed it. Memory from allocate() is mapped by
// all ranks and used in place; other memory passes through a small window that stays in the cache.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "comm/chunk.h"
#include "comm/comm_options.h"
#include "comm/communicator.h"
#include "comm/roster.h"
#include "comm/shared_block.h"

namespace lockstep {

struct Offer;
class ShmMail;
class ShmSegment;

class ShmCommunicator : public Communicator {
 public:
  using Forward = std::function<void(std::span<float>)>;

  // Collective: all members are on this host.
  ShmCommunicator(const Roster& roster, const CommOptions& options, Store& store);
  ~ShmCommunicator() override;

  int rank() const override;
  int size() const override;
  void all_reduce(std::span<float> data) override;
  void broadcast(std::span<float> data, int root) override;
  void barrier() override;
  Memory allocate(int64_t bytes) override;
  void send_bytes(std::span<const std::byte> data, int to, int tag) override;
  void recv_bytes(std::span<std::byte> data, int from, int tag) override;
  int recv_any_bytes(std::span<std::byte> data, int tag) override;
  void exchange_bytes(const Exchange<std::byte>& exchange) override;

  // Everyone's data summed at rank 0, which hands it to `forward` piece by piece; what that makes
  // of it is everyone's. The other ranks add up the next piece and fetch the last meanwhile.
  void all_reduce_through(std::span<float> data, const Forward& forward);

  void set_stall_timeout(Seconds timeout);  // of the calls that follow
  // Ends the waits of all ranks with this reason: what one of them learned elsewhere. Throws it.
  [[noreturn]] void abandon(const std::string& reason);

 private:
  struct Region {  // made by one allocate()
    std::span<std::byte> mine;
    std::weak_ptr<const SharedBlock> in_use;  // shared with the Memory handed out
    std::vector<SharedBlock> others;          // by rank; empty for this one
  };
  struct Meeting {
    int parity;                   // which of the two offers
    bool in_place;                // everyone's data stands in shared memory
    std::vector<float*> buffers;  // then by rank
  };

  Region make_region(int64_t bytes, std::shared_ptr<const SharedBlock>& block);
  Meeting meet(std::span<float> data);
  Offer offer(std::span<float> data) const;
  float* window(int rank, int64_t first_float) const;
  void relay(const Meeting& met, std::span<float> data, const Forward& forward);
  void sum_at_first(const Meeting& met, ChunkRange range) const;
  void reduce_small(std::span<float> data);
  void reduce_windowed(std::span<float> data);
  void broadcast_windowed(std::span<float> data, int root);

  std::unique_ptr<ShmSegment> segment_;
  std::unique_ptr<ShmMail> mail_;
  std::shared_ptr<const SharedBlock> window_block_;  // shared with regions_[0]
  std::vector<Region> regions_;
  int64_t calls_ = 0;
};

std::unique_ptr<Communicator> make_shm(const Roster& roster, const CommOptions& options,
                                       Store& store);

}  // namespace lockstep
