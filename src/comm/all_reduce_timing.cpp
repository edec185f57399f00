#include "comm/all_reduce_timing.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "comm/gather.h"

namespace lockstep {
namespace {

// Whole numbers, most of them 0 when there are many ranks: every partial sum stays below 128 and so
// is exact in any order and in sixteen bits. They repeat after kValues numbers per rank.
constexpr int64_t kValues = 16;
constexpr int kSummands = 8;

float value_of(int rank, int64_t index, int ranks) {
  const bool takes_part = (index + rank) % ranks < kSummands;
  return takes_part ? static_cast<float>((index * 7 + rank * 13) % kValues) : 0;
}

// One period of what `rank` brings, or of what all of them sum up to.
std::vector<float> values_of(int rank, int ranks) {
  std::vector<float> values(kValues * ranks);
  for (int64_t i = 0; i < std::ssize(values); ++i) values[i] = value_of(rank, i, ranks);
  return values;
}

std::vector<float> sums_of(int ranks) {
  std::vector<float> sums(kValues * ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> values = values_of(rank, ranks);
    std::transform(sums.begin(), sums.end(), values.begin(), sums.begin(), std::plus<>());
  }
  return sums;
}

void fill(std::span<float> data, const std::vector<float>& period) {
  for (int64_t i = 0; i < std::ssize(data); i += std::ssize(period)) {
    std::copy_n(period.begin(), std::min(std::ssize(period), std::ssize(data) - i),
                data.begin() + i);
  }
}

int64_t count_wrong(std::span<const float> data, const std::vector<float>& period) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < std::ssize(data); i += std::ssize(period)) {
    const int64_t count = std::min(std::ssize(period), std::ssize(data) - i);
    if (std::memcmp(&data[i], period.data(), count * sizeof(float)) == 0) continue;
    for (int64_t k = 0; k < count; ++k) wrong += data[i + k] != period[k];
  }
  return wrong;
}

class Measured {
 public:
  Measured(const TimedCommunicator& timed, const AllReduceWork& work)
      : comm_(timed.comm), device_(timed.device), all_(timed.data.first(work.floats())) {
    for (int64_t begin = 0; const int64_t floats : work.message_floats) {
      messages_.push_back(all_.subspan(begin, floats));
      begin += floats;
    }
    seconds_.reserve(work.iterations);
  }

  int64_t check() {
    fill(all_, values_of(comm_.rank(), comm_.size()));
    if (device_) device_->buffer.write(all_);
    iterate();
    if (device_) device_->buffer.read(all_);
    const int64_t wrong = count_wrong(all_, sums_of(comm_.size()));
    std::fill(all_.begin(), all_.end(),
              0.0f);  // and zeros stay zeros, however often they are added
    if (device_) device_->buffer.write(all_);
    return wrong;
  }

  void iterate() {
    if (device_) return iterate_on_device();
    for (const std::span<float> message : messages_) comm_.all_reduce(message);
  }

  // The barrier ends the turn of the communicator before.
  void begin_turn() {
    comm_.barrier();
    last_ = Clock::now();
  }
  void timed_iteration() {
    iterate();
    const TimePoint now = Clock::now();
    seconds_.push_back(Seconds(now - last_).count());
    last_ = now;
  }

  AllReduceTimes result(int64_t wrong) {
    std::string mine(seconds_.size() * sizeof(double) + sizeof wrong, '\0');
    std::memcpy(mine.data(), &wrong, sizeof wrong);
    std::memcpy(mine.data() + sizeof wrong, seconds_.data(), seconds_.size() * sizeof(double));
    AllReduceTimes times;
    for (const std::string& theirs : gather(comm_, mine, 0)) add(theirs, times);
    return times;
  }

 private:
  void add(const std::string& theirs, AllReduceTimes& times) const {
    int64_t wrong = 0;
    if (theirs.size() < sizeof wrong + seconds_.size() * sizeof(double)) {
      throw Error("a rank sent the times of fewer iterations than this one made");
    }
    std::memcpy(&wrong, theirs.data(), sizeof wrong);
    times.wrong += wrong;
    times.seconds.resize(seconds_.size());
    for (size_t i = 0; i < seconds_.size(); ++i) {
      double took = 0;
      std::memcpy(&took, theirs.data() + sizeof wrong + i * sizeof took, sizeof took);
      times.seconds[i] = std::max(times.seconds[i], took);
    }
  }

  void iterate_on_device() {
    const TimedDevice& on = *device_;
    for (const std::span<float> message : messages_) {
      on.comm.all_reduce(on.buffer.row().part(message.data() - all_.data(), std::ssize(message)),
                         on.buffer.stream());
    }
    on.buffer.wait([&](Seconds waited) { on.comm.check(waited); });
  }

  Communicator& comm_;
  std::optional<TimedDevice> device_;
  std::span<float> all_;
  std::vector<std::span<float>> messages_;
  std::vector<double> seconds_;
  TimePoint last_;
};

// Long enough that the first iteration after a change does not matter, short enough to alternate.
constexpr int kTurn = 5;

}  // namespace

int64_t AllReduceWork::floats() const {
  return std::accumulate(message_floats.begin(), message_floats.end(), int64_t{0});
}

std::vector<AllReduceTimes> time_all_reduce(std::span<const TimedCommunicator> several,
                                            const AllReduceWork& work) {
  std::vector<Measured> all;
  std::vector<int64_t> wrong;
  for (const TimedCommunicator& timed : several) {
    assert(std::ssize(timed.data) >= work.floats());
    Measured& measured = all.emplace_back(timed, work);
    wrong.push_back(work.check ? measured.check() : 0);
    for (int i = 0; i < work.warm_up; ++i) measured.iterate();
  }
  for (int done = 0; done < work.iterations; done += kTurn) {
    for (Measured& measured : all) {
      measured.begin_turn();
      const int turn = std::min(kTurn, work.iterations - done);
      for (int i = 0; i < turn; ++i) measured.timed_iteration();
    }
  }
  std::vector<AllReduceTimes> results;
  for (size_t i = 0; i < all.size(); ++i) results.push_back(all[i].result(wrong[i]));
  return results;
}

double bus_bandwidth(double bytes_per_second, int ranks) {
  return bytes_per_second * 2 * (ranks - 1) / ranks;
}

}  // namespace lockstep
