#include "comm/nccl/nccl_communicator.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/log_line.h"
#include "base/network_interface.h"
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
    const Watchdog::Call call(watchdog_);
    demand("ncclCommInitRank", nccl::table().comm_init_rank(&comm_, size(), id, rank()));
    connected_ = true;
  }

  // Ends what is still queued, too: peers may be gone.
  ~NcclCommunicator() override { abort(); }

  int rank() const override { return roster_.rank; }
  int size() const override { return roster_.size(); }

  void all_reduce(DeviceRow row, DeviceStream stream) override {
    const Watchdog::Call call(watchdog_);
    demand("ncclAllReduce",
           nccl::table().all_reduce(row.address(), row.address(), static_cast<size_t>(row.size()),
                                    nccl::kFloat32, nccl::kSum, usable_comm(), stream.handle));
  }

  void broadcast(DeviceRow row, int root, DeviceStream stream) override {
    const Watchdog::Call call(watchdog_);
    demand("ncclBroadcast",
           nccl::table().broadcast(row.address(), row.address(), static_cast<size_t>(row.size()),
                                   nccl::kFloat32, root, usable_comm(), stream.handle));
  }

  void check(Seconds waited) override {
    int error = nccl::kSuccess;
    const int asked = async_error(error);
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

  int async_error(int& error) {
    const Watchdog::Call call(watchdog_);
    return nccl::table().comm_get_async_error(usable_comm(), &error);
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
    if (!comm_) return;
    const Watchdog::Call call(watchdog_);
    nccl::table().comm_abort(std::exchange(comm_, nullptr));
  }

  [[noreturn]] void end_process() {
    log_line(fmt::format("{}: {}",
                         connected_ ? "NCCL failed: a call does not return" : "connecting failed",
                         missing()));
    _exit(EXIT_FAILURE);
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
  std::atomic<bool> connected_ = false;
  // A call may wait for other ranks without end, and nothing can wake it.
  Watchdog watchdog_{silence_part(options_.stall_timeout), [this]() -> bool { end_process(); }};
};

// Which network it uses between hosts. What the user has set for NCCL itself stays.
void set_interface(const std::string& name_or_network) {
  if (name_or_network.empty()) return;
  const std::string name = interface_with(address_of_interface(name_or_network));
  setenv("NCCL_SOCKET_IFNAME", ("=" + name).c_str(), /*overwrite=*/0);  // "=": no prefix
}

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
  set_interface(options.interface);
  return std::make_unique<NcclCommunicator>(roster, options, store);
}

}  // namespace lockstep
