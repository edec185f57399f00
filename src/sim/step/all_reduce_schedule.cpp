#include "sim/step/all_reduce_schedule.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "sync/buckets.h"

namespace lockstep {
namespace {

constexpr double kMega = 1e6, kMebi = 1 << 20;

// What is sent as one message, in the order in which it becomes ready.
struct Message {
  size_t first = 0, count = 0;  // in workload.gradients
  double bytes = 0;
};

std::vector<Message> single_tensors(const Workload& workload) {
  std::vector<Message> messages;
  for (size_t i = 0; i < workload.gradients.size(); ++i) {
    messages.push_back({i, 1, workload.gradients[i].bytes});
  }
  return messages;
}

// The trainer's buckets (sync/buckets.h); its order is that of workload.gradients.
std::vector<Message> trainer_buckets(const Workload& workload, double bucket_mb) {
  const int64_t bytes = bucket_mb > 0 ? static_cast<int64_t>(std::llround(bucket_mb * kMebi))
                                      : SyncOptions{}.bucket_bytes;
  std::vector<Message> messages;
  size_t next = 0;
  for (const Bucket& bucket : make_buckets(*workload.arena, bytes)) {
    Message message{next, bucket.parameters.size(), 0};
    for (size_t i = next; i < next + message.count; ++i) {
      message.bytes += workload.gradients[i].bytes;
    }
    next += message.count;
    messages.push_back(message);
  }
  return messages;
}

class Scheduler {
 public:
  Scheduler(const Cluster& cluster, const Workload& workload, const ScheduleTimes& times,
            const Fidelity& fidelity)
      : cluster_(cluster), workload_(workload), times_(times), fidelity_(fidelity) {}

  double ready(size_t gradient) const {
    return times_.forward_end + times_.backward * workload_.gradients[gradient].done;
  }
  double backward_end() const { return times_.forward_end + times_.backward; }
  double last_end() const { return sent_.empty() ? 0 : sent_.back().end; }
  // When Horovod's thread wakes up. Rounding must not make it earlier.
  double next_tick(double earliest) const {
    const double cycle = 1e-3 * cluster_.schedule.cycle_ms;
    if (cycle == 0) return earliest;
    const double first = times_.phase * cycle;
    return std::max(earliest, first + cycle * std::ceil((earliest - first) / cycle - 1e-9));
  }

  void send(const Message& message, double ready_at, double begin) {
    const double duration = fidelity_.all_reduce_seconds(message.bytes) +
                            1e-6 * cluster_.schedule.tensor_us * static_cast<double>(message.count);
    sent_.push_back({.name = {},
                     .bytes = message.bytes,
                     .ready = ready_at,
                     .begin = begin,
                     .end = begin + duration});
  }
  std::vector<PredictedTransfer> take() { return std::move(sent_); }

 private:
  const Cluster& cluster_;
  const Workload& workload_;
  const ScheduleTimes& times_;
  const Fidelity& fidelity_;
  std::vector<PredictedTransfer> sent_;
};

void send_in_order(Scheduler& scheduler, std::span<const Message> messages, bool overlap) {
  for (const Message& message : messages) {
    const double ready =
        overlap ? scheduler.ready(message.first + message.count - 1) : scheduler.backward_end();
    scheduler.send(message, ready, std::max(ready, scheduler.last_end()));
  }
}

// Horovod: a thread wakes up every cycle, takes what is ready and reduces it in fused buffers; it
// wakes up again at the next tick after the last of them. A tensor larger than the buffer goes
// alone.
void send_in_cycles(Scheduler& scheduler, const Cluster& cluster, const Workload& workload,
                    bool overlap) {
  const double buffer = kMega * cluster.schedule.fusion_mb;
  const size_t count = workload.gradients.size();
  const auto ready = [&](size_t i) {
    return overlap ? scheduler.ready(i) : scheduler.backward_end();
  };
  for (size_t next = 0; next < count;) {
    const double tick = scheduler.next_tick(std::max(ready(next), scheduler.last_end()));
    while (next < count && ready(next) <= tick) {
      Message message{next, 0, 0};
      while (next < count && ready(next) <= tick &&
             (message.count == 0 || message.bytes + workload.gradients[next].bytes <= buffer)) {
        message.bytes += workload.gradients[next++].bytes;
        ++message.count;
      }
      scheduler.send(message, ready(next - 1), std::max(tick, scheduler.last_end()));
    }
  }
}

}  // namespace

std::string scheduler_of(const Cluster& cluster, const Scenario& scenario) {
  if (!scenario.scheduler.empty()) return scenario.scheduler;
  if (cluster.schedule.scheduler != "auto") return cluster.schedule.scheduler;
  if (!scenario.usual_scheduler.empty()) return scenario.usual_scheduler;
  const bool gpu = cluster.device_kind == "gpu";
  return scenario.strategy == "horovod" && gpu ? "horovod" : "buckets";
}

bool overlaps(const Cluster& cluster, const Scenario& scenario) {
  return scenario.overlap && scheduler_of(cluster, scenario) != "after_backward";
}

std::vector<PredictedTransfer> schedule_all_reduces(const Cluster& cluster,
                                                    const Scenario& scenario,
                                                    const Workload& workload,
                                                    const ScheduleTimes& times,
                                                    const Fidelity& fidelity) {
  Scheduler scheduler(cluster, workload, times, fidelity);
  const std::string how = scheduler_of(cluster, scenario);
  const bool overlap = overlaps(cluster, scenario);
  if (how == "horovod") {
    send_in_cycles(scheduler, cluster, workload, overlap);
  } else if (how == "tensors") {
    send_in_order(scheduler, single_tensors(workload), overlap);
  } else {
    const double bucket_mb = scenario.bucket_mb.value_or(cluster.schedule.bucket_mb);
    send_in_order(scheduler, trainer_buckets(workload, bucket_mb), overlap);
  }
  return scheduler.take();
}

}  // namespace lockstep
