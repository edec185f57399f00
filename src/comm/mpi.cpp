#include "comm/mpi.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>

#include "base/error.h"
#include "base/log_line.h"
#include "base/network_interface.h"
#include "comm/missing_ranks.h"
#include "comm/mpi_interfaces.h"
#include "comm/store.h"
#include "comm/watchdog.h"

namespace lockstep {
namespace {

constexpr int64_t kMostBytes = 256 << 20;        // of one MPI call: counts are ints
constexpr size_t kBlockingFromBytes = 64 << 10;  // below, MPI's non-blocking all-reduce is as good
constexpr int kPollsBeforeYield = 200;

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error("MPI: {}", std::string(text, length));
}

template <typename Element>
std::span<Element> piece(std::span<Element> data, size_t begin) {
  constexpr size_t kMost = kMostBytes / sizeof(Element);
  return data.subspan(begin, std::min(kMost, data.size() - begin));
}

// The members as MPI's own group; only they take part in making it.
MPI_Comm make_group(const Roster& roster, const std::string& name) {
  int started = 0;
  MPI_Initialized(&started);
  if (!started) throw UsageError("MPI is not running; start with mpirun or srun --mpi=pmix");
  std::vector<int> ranks;
  for (const Member& member : roster.members) ranks.push_back(member.run_rank);
  MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_group(MPI_COMM_WORLD, &world));
  check(MPI_Group_incl(world, roster.size(), ranks.data(), &group));
  const int tag = static_cast<int>(std::hash<std::string>()(name) % 30000);
  check(MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm));
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  return comm;
}

class MpiCommunicator : public Communicator {
 public:
  MpiCommunicator(Roster roster, const CommOptions& options, Store& store)
      : roster_(std::move(roster)),
        options_(options),
        store_(store),
        comm_(make_group(roster_, options.name)),
        watchdog_(silence_part(options.stall_timeout), [this] { return abort_job(); }) {}

  ~MpiCommunicator() override {
    if (!failed_ && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
  }

  int rank() const override { return roster_.rank; }
  int size() const override { return roster_.size(); }
  Memory allocate(int64_t bytes) override { return Memory(bytes); }

  void all_reduce(std::span<float> data) override {
    if (data.size_bytes() >= kBlockingFromBytes) return reduce_blocking(data);
    poll("all-reduce", [&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_FLOAT,
                            MPI_SUM, comm_, request);
    });
  }

  void broadcast(std::span<float> data, int root) override {
    for (size_t begin = 0; begin < data.size(); begin += kMostBytes / sizeof(float)) {
      const auto part = piece(data, begin);
      poll("broadcast", [&](MPI_Request* request) {
        return MPI_Ibcast(part.data(), static_cast<int>(part.size()), MPI_FLOAT, root, comm_,
                          request);
      });
    }
  }

  void barrier() override {
    poll("barrier", [&](MPI_Request* request) { return MPI_Ibarrier(comm_, request); });
  }

  void send_bytes(std::span<const std::byte> data, int to, int tag) override {
    exchange_bytes({.out = data, .to = to, .in = {}, .from = to, .tag = tag});
  }
  void recv_bytes(std::span<std::byte> data, int from, int tag) override {
    exchange_bytes({.out = {}, .to = from, .in = data, .from = from, .tag = tag});
  }

  int recv_any_bytes(std::span<std::byte> data, int tag) override {
    MPI_Status status;
    const auto first = piece(data, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(first.data(), static_cast<int>(first.size()), MPI_BYTE, MPI_ANY_SOURCE, tag,
                    comm_, &request));
    wait({&request, 1}, "receiving", &status);
    recv_bytes(data.subspan(first.size()), status.MPI_SOURCE, tag);
    return status.MPI_SOURCE;
  }

  void exchange_bytes(const Exchange<std::byte>& e) override {
    for (size_t begin = 0; begin < std::max(e.out.size(), e.in.size()); begin += kMostBytes) {
      MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      if (begin < e.in.size()) {
        const auto in = piece(e.in, begin);
        check(MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_BYTE, e.from, e.tag, comm_,
                        &requests[0]));
      }
      if (begin < e.out.size()) {
        const auto out = piece(e.out, begin);
        check(MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_BYTE, e.to, e.tag, comm_,
                        &requests[1]));
      }
      wait(requests, "sending and receiving");
    }
  }

 private:
  void reduce_blocking(std::span<float> data) {
    barrier();
    for (size_t begin = 0; begin < data.size(); begin += kMostBytes / sizeof(float)) {
      const auto part = piece(data, begin);
      const Watchdog::Call call(watchdog_);
      check(MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_FLOAT,
                          MPI_SUM, comm_));
    }
  }

  template <typename Start>
  void poll(const char* doing, const Start& start) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(start(&request));
    wait({&request, 1}, doing);
  }

  void wait(std::span<MPI_Request> requests, const char* doing, MPI_Status* status = nullptr) {
    const TimePoint deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                  silence_part(options_.stall_timeout));
    for (int polls = 0;; ++polls) {
      int done = 0;
      check(status ? MPI_Test(requests.data(), &done, status)
                   : MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                                 MPI_STATUSES_IGNORE));
      if (done) return;
      if (polls < kPollsBeforeYield) continue;
      sched_yield();
      if (Clock::now() < deadline) continue;
      failed_ = true;
      throw Error("{} failed: {}", doing, missing_ranks());
    }
  }

  std::string missing_ranks() {
    return lockstep::missing_ranks(store_, roster_, options_.name,
                                   answer_part(options_.stall_timeout));
  }

  bool abort_job() {
    log_line(fmt::format("all-reduce failed: {}", missing_ranks()));
    MPI_Abort(MPI_COMM_WORLD, 1);
    return true;
  }

  Roster roster_;
  CommOptions options_;
  Store& store_;  // borrowed: outlives the communicator
  MPI_Comm comm_;
  bool failed_ = false;
  Watchdog watchdog_;  // last: its thread uses the rest
};

}  // namespace

bool has_mpi() { return true; }

// Open MPI adds where and by whom it was built, after a comma; MPICH its options, in more lines.
std::string mpi_library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string_view all(text, static_cast<size_t>(length));
  return std::string(all.substr(0, all.find_first_of(",\n")));
}

MpiSession::MpiSession(const std::vector<std::string>& mpirun_addresses)
    : exceptions_(std::uncaught_exceptions()) {
  const auto misleading = misleading_interfaces(network_interfaces(), mpirun_addresses);
  if (!misleading.empty()) {  // Open MPI takes options from here only, once mpirun has started us
    setenv("OMPI_MCA_btl_tcp_if_exclude", excluded_interfaces(misleading).c_str(), 1);
  }
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given);
  if (given < MPI_THREAD_MULTIPLE) throw Error("this MPI does not support MPI_THREAD_MULTIPLE");
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &roster_.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  using HostName = char[MPI_MAX_PROCESSOR_NAME];
  HostName mine = "";
  int length = 0;
  MPI_Get_processor_name(mine, &length);
  std::vector<char> names(size * sizeof(HostName));
  MPI_Allgather(mine, sizeof mine, MPI_CHAR, names.data(), sizeof mine, MPI_CHAR, MPI_COMM_WORLD);
  for (int rank = 0; rank < size; ++rank) {
    roster_.members.push_back({rank, std::string(&names[rank * sizeof(HostName)])});
  }
}

std::string MpiSession::from_rank_0(const std::string& text) {
  uint64_t length = text.size();
  check(MPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  std::string told = text;
  told.resize(length);
  check(MPI_Bcast(told.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD));
  return told;
}

std::vector<std::string> MpiSession::from_all(const std::string& text) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < roster_.size(); ++rank) {
    uint64_t length = text.size();
    check(MPI_Bcast(&length, 1, MPI_UINT64_T, rank, MPI_COMM_WORLD));
    texts.push_back(rank == roster_.rank ? text : std::string(length, '\0'));
    check(MPI_Bcast(texts.back().data(), static_cast<int>(length), MPI_CHAR, rank, MPI_COMM_WORLD));
  }
  return texts;
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() == exceptions_) MPI_Finalize();
}

std::unique_ptr<Communicator> make_mpi(const Roster& roster, const CommOptions& options,
                                       Store& store) {
  // MPI itself would wait for a missing rank for ever.
  store.barrier(options.name + "/mpi", roster.rank, roster.size(), options.stall_timeout);
  return std::make_unique<MpiCommunicator>(roster, options, store);
}

}  // namespace lockstep
