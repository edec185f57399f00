#include "selftest/collective_test.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "comm/all_reduce_timing.h"
#include "comm/gather.h"
#include "config/json.h"
#include "measure/statistics.h"
#include "run/peer_text.h"

namespace lockstep {
namespace {

constexpr int64_t kSmall = 1 << 10, kLarge = 4 << 20;  // floats
constexpr int kIterations = 5;

float marked(int64_t i) { return static_cast<float>(i % 1000 + 1); }

std::vector<std::string> backends_for(const Group& group, bool with_mpi) {
  std::vector<std::string> names = {"gloo"};
  if (group.nodes() == 1) names.insert(names.begin(), "shm");
  if (group.nodes() > 1) names.emplace_back("hierarchical");
  if (with_mpi) names.emplace_back("mpi");
  if (with_mpi && group.nodes() > 1) names.emplace_back("hierarchical_mpi");
  return names;
}

// Rank 0 learns what every rank counted. An element that all ranks have wrong came so from its
// sender; one that some have wrong was spoilt where it arrived.
std::vector<Mismatch> blame(const Group& group, const std::vector<std::vector<int64_t>>& counts,
                            const std::string& operation) {
  const auto& members = group.roster().members;
  const int size = static_cast<int>(counts.size());
  std::vector<Mismatch> found;
  std::vector<bool> receiver(counts.size());
  for (int sender = 0; sender < size; ++sender) {
    const auto wrong_on = [&](size_t rank) {
      return counts[rank][static_cast<size_t>(sender)] > 0;
    };
    std::vector<size_t> ranks;
    for (size_t rank = 0; rank < counts.size(); ++rank) {
      if (wrong_on(rank)) ranks.push_back(rank);
    }
    if (ranks.size() == counts.size()) {
      const auto from = static_cast<size_t>(sender);
      found.push_back({members[from].host, fmt::format("rank {}", sender), operation,
                       count_text(counts[0][from], "wrong number") + " sent"});
    } else {
      for (const size_t rank : ranks) receiver[rank] = true;
    }
  }
  for (size_t rank = 0; rank < receiver.size(); ++rank) {
    if (!receiver[rank]) continue;
    int64_t wrong = 0;
    for (const int64_t count : counts[rank]) wrong += count;
    found.push_back({members[rank].host, fmt::format("rank {}", rank), operation,
                     count_text(wrong, "wrong number") + " received"});
  }
  return found;
}

void reduce(const TimedCommunicator& timed) {
  if (!timed.device) return timed.comm.all_reduce(timed.data);
  const auto& [comm, buffer] = *timed.device;
  buffer.write(timed.data);
  comm.all_reduce(buffer.row().part(0, std::ssize(timed.data)), buffer.stream());
  buffer.wait([&comm = comm](Seconds waited) { comm.check(waited); });
  buffer.read(timed.data);
}

std::vector<Mismatch> check_sums(Group& group, const TimedCommunicator& timed,
                                 const std::string& operation, const Fault& fault) {
  const Communicator& comm = timed.comm;
  const std::span<float> data = timed.data;
  const auto own = group.roster().members[static_cast<size_t>(group.rank())].host;
  fill_marked(data, comm.rank(), comm.size());
  const bool hit = fault.hits(own, fmt::format("rank {}", comm.rank()), operation);
  if (hit) flip_lowest_bit(data[static_cast<size_t>(comm.rank())]);
  reduce(timed);
  const Json counts = wrong_by_sender(data, comm.size());
  std::vector<std::vector<int64_t>> all;
  for (const std::string& text : gather(group.control(), counts.dump(), 0)) {
    all.push_back(
        read_from_peer(static_cast<int>(all.size()), "its sums", text,
                       [](const Json& json) { return json.get<std::vector<int64_t>>(); }));
    if (std::ssize(all.back()) != comm.size()) throw Error("a rank sent the sums of another run");
  }
  return all.empty() ? std::vector<Mismatch>{} : blame(group, all, operation);
}

// The row of one communicator.
TestRow row_of(Group& group, const TimedCommunicator& timed, const std::string& backend,
               const Fault& fault) {
  const std::string operation = "all-reduce " + backend;
  const std::vector<Mismatch> wrong = check_sums(group, timed, operation, fault);
  const auto time = [&](int64_t floats) {
    return time_all_reduce(std::span(&timed, 1),
                           {.message_floats = {floats}, .iterations = kIterations})
        .front();
  };
  const AllReduceTimes small = time(kSmall), large = time(kLarge);
  if (group.rank() > 0) return {};
  const double bytes = kLarge * sizeof(float);
  const int ranks = timed.comm.size();
  TestRow row = {.check = operation,
                 .host = group.nodes() == 1 ? group.roster().members.front().host
                                            : count_text(group.nodes(), "host"),
                 .where = count_text(ranks, "rank"),
                 .mismatches = wrong,
                 .bytes_per_second = bus_bandwidth(bytes / median(large.seconds), ranks)};
  const int64_t more = small.wrong + large.wrong;
  row.result = wrong.empty() && more == 0 ? TestResult::Pass : TestResult::Fail;
  row.what = fmt::format("busbw {:.2f} GB/s at 16 MiB, {:.0f} us at 4 KiB; {}",
                         row.bytes_per_second / 1e9, 1e6 * median(small.seconds),
                         row.result == TestResult::Pass ? "all sums right" : "wrong sums");
  return row;
}

Memory memory_of(Communicator& comm) {
  return comm.allocate(kLarge * static_cast<int64_t>(sizeof(float)));
}

TestRow test_backend(Group& group, const std::string& backend, const Fault& fault) {
  const auto comm = group.connect_workers("selftest/" + backend, backend, AllReduceRules{});
  const Memory memory = memory_of(*comm);
  return row_of(group, {*comm, memory.floats()}, backend, fault);
}

}  // namespace

TestRow test_nccl(Group& group, const MakeBuffer& make_buffer, const Fault& fault) {
  const std::unique_ptr<DeviceBuffer> buffer = make_buffer(kLarge);  // its GPU is the current one
  const auto devices = group.connect_devices("selftest/nccl");
  const auto comm = group.connect_workers("selftest/beside_nccl");
  const Memory memory = memory_of(*comm);
  const TestRow row =
      row_of(group, {*comm, memory.floats(), TimedDevice{*devices, *buffer}}, "nccl", fault);
  group.control().barrier();  // none leaves while another still reads from it
  return row;
}

void fill_marked(std::span<float> data, int rank, int size) {
  for (int64_t i = 0; i < std::ssize(data); ++i) {
    data[static_cast<size_t>(i)] = i % size == rank ? marked(i) : 0;
  }
}

std::vector<int64_t> wrong_by_sender(std::span<const float> sum, int size) {
  std::vector<int64_t> wrong(static_cast<size_t>(size));
  for (int64_t i = 0; i < std::ssize(sum); ++i) {
    if (sum[static_cast<size_t>(i)] != marked(i)) ++wrong[static_cast<size_t>(i % size)];
  }
  return wrong;
}

std::vector<TestRow> test_collectives(Group& group, bool with_mpi, const Fault& fault) {
  std::vector<TestRow> rows;
  for (const std::string& backend : backends_for(group, with_mpi)) {
    TestRow row = test_backend(group, backend, fault);
    if (group.rank() == 0) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace lockstep
