// replica_run.h: one worker's replica with its engine, input and strategy, and its loops.
#pragma once

#include <memory>

#include "data/pipeline/input_source.h"
#include "measure/transfers.h"
#include "run/between_steps.h"
#include "run/group.h"
#include "run/run_plan.h"
#include "run/server_thread.h"
#include "sync/strategies.h"
#include "train/checkpoint.h"
#include "train/loop.h"

namespace lockstep {

// Sums over the steps of one worker.
struct IndependentTimes {
  Seconds total{};
  std::array<Seconds, kPhaseNames.size()> phases{};
};

class ReplicaRun {
 public:
  // Connects to the others. Borrows all of it. `from`: the checkpoint to resume from, or null.
  ReplicaRun(const RunPlan& plan, Engine& engine, Group& group, const Checkpoint* from = nullptr);

  // The planned steps by the planned strategy, from the first values on. `between_steps` may be
  // null.
  LoopOutcome measure(LoopObserver& observer, BetweenSteps* between_steps);
  // So many steps in which the workers do not hear of each other; it leaves their values different.
  IndependentTimes measure_independent(int steps);

  const InputSource& input() const { return *input_; }
  TimePoint start() const { return start_; }  // that all records count from
  std::span<const Transfer> transfers() const { return transfers_; }
  // Of one step of measure(), counted from its first warm-up step.
  std::span<const TransferRecord> transfers_of(size_t step) const;
  std::vector<TransferRecord> timed_transfers() const;

 private:
  void write_values();  // those that training begins with
  Step step_by(Strategy& strategy);
  std::function<void(StepMeter&, int64_t)> training_by(Strategy& strategy);
  std::function<void(StepMeter&)> reading_of_losses();
  void begin_anew();  // what was trained so far is forgotten

  const RunPlan& plan_;
  Engine& engine_;
  Group& group_;
  const Checkpoint* from_;
  std::unique_ptr<Communicator> workers_;        // null: the strategy needs none
  std::unique_ptr<ServerThread> server_;         // null: none in this process
  std::unique_ptr<Communicator> everyone_;       // null: there are no servers
  std::unique_ptr<DeviceCommunicator> devices_;  // null: gradients do not go from GPU to GPU
  ParameterArena arena_;
  std::unique_ptr<InputSource> input_;
  std::vector<Transfer> transfers_;
  TimePoint start_ = Clock::now();
  std::unique_ptr<TransferLog> log_;
  bool used_ = false;  // the values are no longer the first
};

// Without a run: tells the parameter servers, which wait for workers, that there is nothing to do.
void dismiss_servers(const RunPlan& plan, Group& group);

}  // namespace lockstep
