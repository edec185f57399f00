#include "run/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "comm/gather.h"
#include "run/peer_text.h"

namespace lockstep {
namespace {

// Sends the file unchanged: every rank verifies its checksum again, which also covers the transfer.
FoundCheckpoint broadcast_checkpoint(Group& group, std::optional<FoundCheckpoint> found,
                                     const std::string& path, int64_t bytes) {
  if (found) {
    group.control().broadcast(found->checkpoint.memory().floats(), 0);
    return std::move(*found);
  }
  Memory memory(bytes);
  group.control().broadcast(memory.floats(), 0);
  return {path, Checkpoint(std::move(memory))};
}

}  // namespace

std::optional<FoundCheckpoint> find_checkpoint(const RunConfig& run, Group& group,
                                               std::ostream& notes) {
  std::optional<FoundCheckpoint> found;
  if (group.rank() == 0) {
    found =
        newest_checkpoint(run.train_dir, [&](const std::string& line) { notes << line << "\n"; });
  }
  if (group.control().size() == 1) return found;
  const std::string path = broadcast_text(group.control(), found ? found->path : "", 0);
  if (path.empty()) return {};
  const int64_t bytes = found ? found->checkpoint.memory().bytes() : 0;
  const std::string length = broadcast_text(group.control(), fmt::to_string(bytes), 0);
  return broadcast_checkpoint(group, std::move(found), path,
                              number_from_peer(0, "the size of a checkpoint", length));
}

void check_same_network(const FoundCheckpoint& found, const RunPlan& plan) {
  const CheckpointFacts& facts = found.checkpoint.facts();
  if (facts.model == plan.facts.model && facts.dataset == plan.facts.dataset) return;
  throw UsageError("{} is a checkpoint of {} for {}; this run trains {} for {}", found.path,
                   facts.model, facts.dataset, plan.facts.model, plan.facts.dataset);
}

void resume_from(const FoundCheckpoint& found, RunPlan& plan) {
  check_same_network(found, plan);
  const CheckpointFacts& facts = found.checkpoint.facts();
  if (facts.optimizer != plan.optimizer.name) {
    throw UsageError("{} was trained with --optimizer {}, this run uses {}", found.path,
                     facts.optimizer, plan.optimizer.name);
  }
  const int64_t batch = int64_t{1} * plan.facts.batch_size * plan.facts.devices;
  plan.resume_point = {
      .step = facts.step, .examples = facts.examples, .schedule = facts.examples / batch};
  const int64_t done = plan.config.num_epochs ? plan.resume_point.schedule : facts.step;
  const int64_t all = int64_t{1} * plan.facts.warmup_steps + plan.facts.timed_steps;
  const int64_t left = std::max<int64_t>(all - done, 0);
  plan.facts.warmup_steps =
      static_cast<int>(std::clamp<int64_t>(left - 1, 0, plan.facts.warmup_steps));
  plan.facts.timed_steps = static_cast<int>(left) - plan.facts.warmup_steps;
  plan.epochs = static_cast<double>(plan.facts.timed_steps * batch) /
                static_cast<double>(plan.examples_per_epoch);
}

}  // namespace lockstep
