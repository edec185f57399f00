#include "run/replica_run.h"

#include <omp.h>

#include <algorithm>

#include "run/run_input.h"
#include "run/strategy_options.h"
#include "sync/independent.h"
#include "sync/server.h"
#include "train/capture.h"
#include "train/first_values.h"
#include "train/replicated.h"
#include "train/steps.h"

namespace lockstep {
namespace {

std::unique_ptr<InputSource> input_of(const RunPlan& plan, const Crew& crew) {
  const OnAllCores for_its_threads(crew);
  return make_run_input(plan, input_share(crew));
}

std::unique_ptr<Communicator> connect_workers(const RunPlan& plan, Crew& crew) {
  return plan.strategy->communicates ? crew.connect_workers("gradients") : nullptr;
}

std::unique_ptr<ServerThread> start_server(const Crew& crew) {
  const std::optional<Seat> seat = crew.server_seat(kServersName);
  return seat ? std::make_unique<ServerThread>(*seat) : nullptr;
}

ParameterArena arena_of(const Engine& engine, Communicator* workers) {
  if (!workers) return make_arena(engine);
  return make_arena(engine, [&](int64_t bytes) { return workers->allocate(bytes); });
}

// Only counts and times itself.
struct Unwatched : LoopObserver {
  void before_step(int) override {}
  void after_step(int, std::span<const StepRecord>) override {}
  void warmup_done() override {}
  bool wants_stop() override { return false; }
};

}  // namespace

ReplicaRun::ReplicaRun(const RunPlan& plan, Engine& engine, Crew& crew, const Checkpoint* from)
    : plan_(plan),
      engine_(engine),
      crew_(crew),
      from_(from),
      workers_(connect_workers(plan, crew)),
      server_(start_server(crew)),
      everyone_(plan.strategy->needs_servers ? crew.connect_everyone(kServersName) : nullptr),
      arena_(arena_of(engine, workers_.get())),
      input_(input_of(plan, crew)) {
  check_same_data(crew, "training data in --data-dir", input_->contents());
  omp_set_num_threads(plan.facts.threads);  // of what runs outside the engine's kernels
  engine.bind(arena_);
  write_values();
}

void ReplicaRun::write_values() {
  if (from_) return load(*from_, engine_, arena_);
  write_first_values(plan_.graph, plan_.first_values_seed, engine_, arena_);
}

LoopOutcome ReplicaRun::measure(LoopObserver& observer, Upkeep* upkeep) {
  if (used_) begin_anew();
  const std::unique_ptr<Strategy> strategy = plan_.strategy->make(
      replicated_of(engine_, arena_, plan_.optimizer),
      {.workers = workers_.get(), .everyone = everyone_.get()}, sync_options(plan_.config));
  if (from_) strategy->carry_on(carried_in(*from_, engine_, arena_));
  strategy->start();
  engine_.count_from(plan_.beginning.step);
  if (!plan_.config.forward_only) {
    transfers_.assign(strategy->transfers().begin(), strategy->transfers().end());
  }
  const int steps = plan_.facts.warmup_steps + plan_.facts.timed_steps;
  log_ = std::make_unique<TransferLog>(static_cast<size_t>(steps), transfers_.size(), start_);
  crew_.control().barrier();
  KeptUp kept_up(observer, upkeep, {engine_, arena_, *strategy});
  LoopOutcome outcome = run_loop({.warmup_steps = plan_.facts.warmup_steps,
                                  .timed_steps = plan_.facts.timed_steps,
                                  .start = start_,
                                  .first_global_step = plan_.beginning.schedule},
                                 step_by(*strategy), kept_up);
  outcome.total -= kept_up.evaluation_time();              // it is no part of training
  if (kept_up.good_enough()) outcome.interrupted = false;  // that was the goal
  strategy->settle();  // what is kept and judged in the end has the updates of all workers
  kept_up.finish();
  strategy->finish();
  if (server_) server_->join();
  return outcome;
}

void ReplicaRun::begin_anew() {
  write_values();
  input_ = input_of(plan_, crew_);
}

void dismiss_servers(const RunPlan& plan, Crew& crew) {
  if (!plan.strategy->needs_servers) return;
  const std::unique_ptr<ServerThread> server = start_server(crew);
  const std::unique_ptr<Communicator> everyone = crew.connect_everyone(kServersName);
  dismiss_servers(*everyone);
  if (server) server->join();
}

Seconds ReplicaRun::measure_independent(int steps) {
  used_ = true;
  Independent strategy(replicated_of(engine_, arena_, plan_.optimizer));
  strategy.start();
  Unwatched nobody;
  crew_.control().barrier();
  const Trainee trainee = {engine_, *input_, strategy, plan_.schedule, plan_.config.weight_decay};
  const LoopOutcome outcome = run_loop(
      {.warmup_steps = 1, .timed_steps = steps, .start = start_},
      [&](StepMeter& meter, int64_t step) { training_step(trainee, meter, step); }, nobody);
  return outcome.total;
}

Step ReplicaRun::step_by(Strategy& strategy) {
  if (plan_.config.forward_only) {
    return [this](StepMeter& meter, int64_t) { inference_step(engine_, *input_, meter); };
  }
  const Trainee trainee = {engine_, *input_, strategy, plan_.schedule, plan_.config.weight_decay};
  return [this, trainee](StepMeter& meter, int64_t step) {
    training_step(trainee, meter, step);
    log_->add(trainee.strategy.transfer_times());
  };
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
