#include "comm/nccl/nccl_communicator.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/log_line.h"
#include "comm/missing_ranks.h"
#include "comm/nccl/nccl_table.h"
#include "comm/store.h"
#include "comm/watchdog.h"

namespace lockstep {
namespace {

class NcclCommunicator : public DeviceCommunicator {
 public:
  NcclCommunicator(Roster roster, const CommOptions& options, Store& store)
      : roster_(std::move(roster)), options_(options), store_(store) {
    const nccl::UniqueId id = agreed_id();
    // The call waits for all ranks without end, and nothing can wake it.
    Watchdog watchdog(silence_part(options.stall_timeout), [this]() -> bool {
      log_line(fmt::format("connecting failed: {}", missing()));
      _exit(EXIT_FAILURE);
    });
    const Watchdog::Call call(watchdog);
    demand("ncclCommInitRank", nccl::table().comm_init_rank(&comm_, size(), id, rank()));
  }

  // Ends what is still queued, too: peers may be gone.
  ~NcclCommunicator() override { abort(); }

  int rank() const override { return roster_.rank; }
  int size() const override { return roster_.size(); }

  void all_reduce(DeviceRow row, DeviceStream stream) override {
    demand("ncclAllReduce",
           nccl::table().all_reduce(row.address(), row.address(), static_cast<size_t>(row.size()),
                                    nccl::kFloat32, nccl::kSum, usable_comm(), stream.handle));
  }

  void broadcast(DeviceRow row, int root, DeviceStream stream) override {
    demand("ncclBroadcast",
           nccl::table().broadcast(row.address(), row.address(), static_cast<size_t>(row.size()),
                                   nccl::kFloat32, root, usable_comm(), stream.handle));
  }

  void check(Seconds waited) override {
    int error = nccl::kSuccess;
    const int asked = nccl::table().comm_get_async_error(usable_comm(), &error);
    const int result = asked != nccl::kSuccess ? asked : error;
    if (result != nccl::kSuccess && result != nccl::kInProgress) {
      fail(nccl::table().get_error_string(result));
    }
    if (waited > silence_part(options_.stall_timeout)) fail("no progress");
    if (waited > doubted_ + until_doubt()) {
      doubted_ = waited;
      if (!gone_ranks(store_, roster_).empty()) fail("no answer");
    }
    if (waited < doubted_) doubted_ = Seconds{0};  // another wait
  }

 private:
  // Rank 0's, known to all through the store.
  nccl::UniqueId agreed_id() {
    nccl::UniqueId id = {};
    const std::string key = options_.name + "/nccl";
    if (rank() == 0) {
      demand("ncclGetUniqueId", nccl::table().get_unique_id(&id));
      store_.set(key, std::string(id.bytes, sizeof(id.bytes)));
    } else {
      const std::string bytes = store_.get(key, options_.stall_timeout);
      std::memcpy(id.bytes, bytes.data(), std::min(bytes.size(), sizeof(id.bytes)));
    }
    store_.barrier(key + "/met", rank(), size(), options_.stall_timeout);
    return id;
  }

  // A wait that takes this long may be for a rank that is gone, which not all transports notice.
  Seconds until_doubt() const { return std::min(Seconds{4}, options_.stall_timeout / 8); }

  nccl::Comm usable_comm() {
    if (!failure_.empty()) throw Error(failure_);
    return comm_;
  }

  void demand(const char* call, int result) {
    if (result == nccl::kSuccess) return;
    fail(fmt::format("{}: {}", call, nccl::table().get_error_string(result)));
  }

  [[noreturn]] void fail(const std::string& reason) {
    abort();
    failure_ = fmt::format("NCCL failed: {}: {}", reason, missing());
    throw Error(failure_);
  }

  void abort() {
    if (comm_) nccl::table().comm_abort(std::exchange(comm_, nullptr));
  }

  std::string missing() {
    return missing_ranks(store_, roster_, options_.name, answer_part(options_.stall_timeout));
  }

  Roster roster_;
  CommOptions options_;
  Store& store_;  // borrowed: outlives the communicator
  nccl::Comm comm_ = nullptr;
  std::string failure_;
  Seconds doubted_{};  // when the store was asked last, in this wait
};

}  // namespace

bool has_nccl() {
  try {
    nccl::table();
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::unique_ptr<DeviceCommunicator> make_nccl(const Roster& roster, const CommOptions& options,
                                              Store& store) {
  return std::make_unique<NcclCommunicator>(roster, options, store);
}

}  // namespace lockstep
