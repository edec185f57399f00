#include "run/replica_run.h"

#include <omp.h>

#include <algorithm>

#include "run/run_input.h"
#include "run/strategy_options.h"
#include "sync/server.h"
#include "train/capture.h"
#include "train/first_values.h"
#include "train/replicated.h"
#include "train/steps.h"

namespace lockstep {
namespace {

std::unique_ptr<InputSource> input_of(const RunPlan& plan, const Group& group) {
  const OnAllCores for_its_threads(group);
  return make_run_input(plan, input_share(group));
}

bool on_devices(const RunPlan& plan) { return plan.engine_options.parameters_on_device; }

std::unique_ptr<Communicator> connect_workers(const RunPlan& plan, Group& group) {
  const bool through_host = plan.strategy->communicates && !on_devices(plan);
  return through_host ? group.connect_workers("gradients") : nullptr;
}

std::unique_ptr<DeviceCommunicator> connect_devices(const RunPlan& plan, Group& group) {
  const bool from_gpu_to_gpu =
      on_devices(plan) && plan.strategy->communicates && plan.facts.devices > 1;
  return from_gpu_to_gpu ? group.connect_devices("gradients") : nullptr;
}

std::unique_ptr<ServerThread> start_server(const Group& group) {
  const std::optional<ServerSeat> seat = group.server_seat(kServersName);
  return seat ? std::make_unique<ServerThread>(*seat) : nullptr;
}

ParameterArena arena_of(const Engine& engine, Communicator* workers) {
  if (!workers) return make_arena(engine);
  return make_arena(engine, [&](int64_t bytes) { return workers->allocate(bytes); });
}

// Only counts and times itself.
struct Unwatched : LoopObserver {
  void before_step(int) override {}
  bool wants_losses(int) override { return false; }
  void after_step(int, std::span<const StepRecord>, StepMeter&) override {}
  void steps_done(std::span<const StepRecord>) override {}
  Seconds outside_steps() override { return {}; }
  void warmup_done() override {}
  StopReason stop_reason() override { return StopReason::None; }
};

}  // namespace

ReplicaRun::ReplicaRun(const RunPlan& plan, Engine& engine, Group& group, const Checkpoint* from)
    : plan_(plan),
      engine_(engine),
      group_(group),
      from_(from),
      workers_(connect_workers(plan, group)),
      server_(start_server(group)),
      everyone_(plan.strategy->needs_servers ? group.connect_everyone(kServersName) : nullptr),
      devices_(connect_devices(plan, group)),
      arena_(arena_of(engine, workers_.get())),
      input_(input_of(plan, group)) {
  check_same_data(group, "training data in --data-dir", input_->contents());
  omp_set_num_threads(plan.facts.threads);  // of what runs outside the engine's kernels
  engine.bind(arena_);
  write_values();
}

void ReplicaRun::write_values() {
  if (from_) return load(*from_, engine_, arena_);
  write_first_values(plan_.graph, plan_.first_values_seed, engine_, arena_);
}

LoopOutcome ReplicaRun::measure(LoopObserver& observer, BetweenSteps* between_steps) {
  if (used_) begin_anew();
  const std::unique_ptr<Strategy> strategy = plan_.strategy->make(
      replicated_of(engine_, arena_, plan_.optimizer),
      {.workers = workers_.get(), .everyone = everyone_.get(), .devices = devices_.get()},
      sync_options(plan_.config));
  if (from_) strategy->carry_on(carried_in(*from_, engine_, arena_));
  strategy->start();
  engine_.count_from(plan_.resume_point.step);
  if (!plan_.config.forward_only) {
    transfers_.assign(strategy->transfers().begin(), strategy->transfers().end());
  }
  const int steps = plan_.facts.warmup_steps + plan_.facts.timed_steps;
  log_ = std::make_unique<TransferLog>(static_cast<size_t>(steps), transfers_.size(), start_);
  group_.control().barrier();
  BetweenStepsObserver watched(observer, between_steps, {engine_, arena_, *strategy});
  LoopOutcome outcome = run_loop({.warmup_steps = plan_.facts.warmup_steps,
                                  .timed_steps = plan_.facts.timed_steps,
                                  .start = start_,
                                  .first_global_step = plan_.resume_point.schedule},
                                 step_by(*strategy), watched);
  strategy->drain();  // what is kept and judged in the end has the updates of all workers
  watched.finish();
  if (outcome.interrupted() && everyone_ && group_.rank() == 0) group_.tell(kInterruptedKey, "");
  strategy->finish();
  if (devices_) group_.control().barrier();  // none leaves while another still reads from it
  if (server_) server_->join();
  return outcome;
}

void ReplicaRun::begin_anew() {
  write_values();
  input_ = input_of(plan_, group_);
}

void dismiss_servers(const RunPlan& plan, Group& group) {
  if (!plan.strategy->needs_servers) return;
  const std::unique_ptr<ServerThread> server = start_server(group);
  const std::unique_ptr<Communicator> everyone = group.connect_everyone(kServersName);
  dismiss_servers(*everyone);
  if (server) server->join();
}

IndependentTimes ReplicaRun::measure_independent(int steps) {
  used_ = true;
  const std::unique_ptr<Strategy> strategy =
      find_strategy("independent")
          .make(replicated_of(engine_, arena_, plan_.optimizer), {}, sync_options(plan_.config));
  strategy->start();
  Unwatched nobody;
  group_.control().barrier();
  const LoopOutcome outcome = run_loop({.warmup_steps = 1, .timed_steps = steps, .start = start_},
                                       {training_by(*strategy), reading_of_losses()}, nobody);
  IndependentTimes times = {.total = outcome.total};
  for (const StepRecord& step : outcome.timed) {
    for (size_t i = 0; i < times.phases.size(); ++i) times.phases[i] += step.phases[i];
  }
  return times;
}

Step ReplicaRun::step_by(Strategy& strategy) {
  if (plan_.config.forward_only) {
    return {[this](StepMeter& meter, int64_t) { inference_step(engine_, *input_, meter); },
            reading_of_losses()};
  }
  return {[this, &strategy, train = training_by(strategy)](StepMeter& meter, int64_t step) {
            train(meter, step);
            log_->add(strategy.transfer_times());
          },
          reading_of_losses()};
}

std::function<void(StepMeter&, int64_t)> ReplicaRun::training_by(Strategy& strategy) {
  const Trainee trainee = {engine_, *input_, strategy, plan_.schedule, plan_.config.weight_decay};
  return [trainee](StepMeter& meter, int64_t step) { training_step(trainee, meter, step); };
}

std::function<void(StepMeter&)> ReplicaRun::reading_of_losses() {
  const double weight_decay = plan_.config.forward_only ? 0 : plan_.config.weight_decay;
  return [this, weight_decay](StepMeter& meter) { read_outcomes(engine_, weight_decay, meter, 0); };
}

std::span<const TransferRecord> ReplicaRun::transfers_of(size_t step) const {
  return log_->records().subspan(step * transfers_.size(), transfers_.size());
}

std::vector<TransferRecord> ReplicaRun::timed_transfers() const {
  const auto records = log_->records();
  const size_t warmup = static_cast<size_t>(plan_.facts.warmup_steps) * transfers_.size();
  if (records.size() <= warmup) return {};
  return {records.begin() + static_cast<std::ptrdiff_t>(warmup), records.end()};
}

}  // namespace lockstep
