#include "run/evaluator.h"

#include <algorithm>
#include <ostream>

#include "report/render/console.h"
#include "report/render/remarks.h"
#include "run/run_input.h"
#include "train/evaluate.h"
#include "train/first_values.h"

namespace lockstep {
namespace {

int batch_of(const RunPlan& plan) {
  const int wanted = plan.config.eval_batch_size;
  return wanted > 0 ? wanted : plan.facts.batch_size;
}

std::unique_ptr<Engine> inference_engine(const RunPlan& plan) {
  EngineOptions options = plan.engine_options;
  options.mode = Mode::Inference;
  options.batch = batch_of(plan);
  return plan.engine->make(plan.graph, options);
}

InputSpec examples_of(const RunPlan& plan, const Group& group) {
  InputSpec spec = input_spec(plan, input_share(group));
  spec.batch = batch_of(plan);
  return spec;
}

// Unless the length is given, there are as many synthetic validation images as training images.
ValidationLength length_of(const RunPlan& plan) {
  const RunConfig& run = plan.config;
  ValidationLength length = {
      .most_batches = run.num_eval_batches.value_or(0),
      .epochs = run.num_eval_epochs.value_or(1),
      .synthetic_examples = find_dataset(plan.facts.dataset).validation_examples};
  const bool open = !run.num_eval_batches && !run.num_eval_epochs;
  if (open && run.data_dir.empty()) {
    length.most_batches = run.num_batches.value_or(kDefaultTimedSteps);
  }
  return length;
}

// What a pass found.
struct Findings {
  Hits hits;
  int64_t skipped = 0;  // each example is one worker's
};

// Of all workers.
Findings summed(Communicator& control, const Findings& own) {
  if (control.size() == 1) return own;
  float sums[] = {static_cast<float>(own.hits.examples), static_cast<float>(own.hits.top_1),
                  static_cast<float>(own.hits.top_5),
                  static_cast<float>(own.skipped)};  // whole numbers, far below 2^24
  control.all_reduce(sums);
  const auto whole = [&](size_t i) { return static_cast<int64_t>(sums[i]); };
  return {{whole(0), whole(1), whole(2)}, whole(3)};
}

}  // namespace

Evaluator::Evaluator(const RunPlan& plan, Group& group, Context& context)
    : plan_(plan),
      group_(group),
      context_(context),
      engine_(inference_engine(plan)),
      arena_(make_arena(*engine_)),
      examples_(examples_of(plan, group), length_of(plan)) {
  engine_->bind(arena_);
  check_same_data(group, "validation data in --data-dir", examples_.contents());
  if (group.rank() > 0) return;
  if (plan.config.data_dir.empty()) {
    context.err << "note: without --data-dir images and labels are synthetic; the accuracy is "
                   "meaningless\n";
  } else {
    note_missing_files(plan.config, Split::Validation, context.err);
  }
}

RunFacts Evaluator::facts() const {
  RunFacts facts = plan_.facts;
  facts.batch_size = batch_of(plan_);
  facts.timed_steps = static_cast<int>(examples_.batches());
  return facts;
}

double Evaluator::epochs() const {
  const double images =
      static_cast<double>(examples_.batches()) * batch_of(plan_) * plan_.facts.devices;
  if (examples_.examples() == 0) return images / static_cast<double>(plan_.examples_per_epoch);
  return std::min(plan_.config.num_eval_epochs.value_or(1),
                  images / static_cast<double>(examples_.examples()));
}

Evaluation Evaluator::evaluate(int64_t step, const PausedReplica& replica) {
  take_values(replica);
  return run(step);
}

Evaluation Evaluator::evaluate(const Checkpoint& checkpoint) {
  load(checkpoint, *engine_, arena_);
  return run(checkpoint.facts().step);
}

void Evaluator::take_values(const PausedReplica& replica) {
  if (group_.rank() == 0) {
    std::vector<float> values(replica.arena.all_values().size());
    replica.strategy.newest_values(values);
    copy_replica(replica.engine, replica.arena, values, *engine_, arena_);
  }
  Communicator& control = group_.control();
  if (control.size() == 1) return;
  control.broadcast(arena_.all_values(), 0);
  for (const StateInfo& state : engine_->state()) control.broadcast(state.values, 0);
  for (ParameterId id = 0; id < arena_.count(); ++id) engine_->values_changed(id);
  engine_->state_changed();
}

std::unique_ptr<InputSource> Evaluator::begin_pass() const {
  const OnAllCores for_its_threads(group_);
  return examples_.pass();
}

Evaluation Evaluator::run(int64_t step) {
  const std::unique_ptr<InputSource> input = begin_pass();
  const int every = plan_.config.display_every;
  const double images = double{1} * every * batch_of(plan_) * plan_.facts.devices;
  const TimePoint begin = Clock::now();
  TimePoint shown = begin;
  const Hits own = count_hits(*engine_, *input, examples_.batches(), [&](int64_t batch) {
    if (batch % every != 0) return;
    context_.out << evaluation_step_line(batch, images / seconds_since(shown).count())
                 << std::flush;
    shown = Clock::now();
  });
  const Skipped skipped = joined(examples_.skipped(), input->skipped());
  const Findings all = summed(group_.control(), {own, std::ssize(skipped.examples)});
  const double examples = std::max(static_cast<double>(all.hits.examples), 1.0);
  const Evaluation evaluation = {.step = step,
                                 .examples = all.hits.examples,
                                 .top_1_accuracy = static_cast<double>(all.hits.top_1) / examples,
                                 .top_5_accuracy = static_cast<double>(all.hits.top_5) / examples,
                                 .seconds = seconds_since(begin).count()};
  context_.out << accuracy_line(evaluation) << std::flush;
  if (group_.rank() > 0) return evaluation;
  for (const std::string& line : damage_lines(
           {.skipped = all.skipped, .damaged_files = skipped.files, .damage = skipped.lines})) {
    context_.err << line << "\n";
  }
  return evaluation;
}

}  // namespace lockstep
