#include "run/framework/native_check.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>

#include "base/error.h"
#include "base/random.h"
#include "nn/l2.h"
#include "run/framework/row_file.h"
#include "sync/independent.h"
#include "train/first_values.h"
#include "train/replicated.h"

namespace lockstep {
namespace {

// The step that lowers the loss by this part of itself, to first order.
constexpr double kPartOfLoss = 0.01;
// So many times the rounding of its values a step moves every parameter...
constexpr double kAboveRounding = 50;
// ...unless the step would grow more than this.
constexpr double kMostFaster = 5;
// Part of itself by which a pixel changes to find CheckedRow::noise: what rounding changes in the
// values between layers.
constexpr float kShaken = 1e-6f;

// A replica that trains, and the file of what its steps change.
class CheckedReplica {
 public:
  CheckedReplica(const RunPlan& plan, NativeCheck& check)
      : plan_(plan),
        check_(check),
        engine_(plan.engine->make(plan.graph, on_cpu(plan))),
        arena_(make_arena(*engine_)),
        file_(check.values, std::ios::binary) {
    omp_set_num_threads(plan.facts.threads);  // making the engine changed it
    start_from_first_values(plan.graph, plan.first_values_seed, *engine_, arena_);
    for (const ParameterInfo& info : engine_->parameters()) {
      check_.rows.push_back(
          {.name = info.name, .size = info.shape.elements(), .moved = {}, .noise = {}});
    }
    for (const StateInfo& info : engine_->state()) {
      check_.rows.push_back(
          {.name = info.name, .size = std::ssize(info.values), .moved = {}, .noise = {}});
      first_state_.insert(first_state_.end(), info.values.begin(), info.values.end());
    }
  }

  void train_step(const Batch& batch) {
    check_.losses.push_back(engine_->forward(batch).loss);
    engine_->backward([](ParameterId) {});
    if (check_.learning_rate == 0) choose_settings();
    if (!strategy_) start_strategy();
    strategy_->begin_step(check_.learning_rate);
    for (ParameterId id = 0; id < arena_.count(); ++id) {
      add_way(id);
      strategy_->gradient_ready(id);
      write_values(id);
    }
    strategy_->finish_step();
    write_state();
  }

  void close() {
    file_.close();
    if (!file_) throw Error("cannot write {}", check_.values.string());
  }

 private:
  static EngineOptions on_cpu(const RunPlan& plan) {
    EngineOptions options = plan.engine_options;
    options.device = "cpu";
    options.dtype = Dtype::F32;
    return options;
  }

  // Of the first step's gradients.
  void choose_settings() {
    double decaying = 0;
    for (ParameterId id = 0; const ParameterInfo& info : engine_->parameters()) {
      if (info.decays) decaying += sum_of_squares(arena_.values(id));
      ++id;
    }
    const double squares = sum_of_squares(arena_.all_gradients());
    if (squares > 0) check_.learning_rate = rate_for(kPartOfLoss * check_.losses.front() / squares);
    if (decaying > 0) check_.weight_decay = std::sqrt(squares / decaying);
  }

  void start_strategy() {
    OptimizerSettings optimizer = plan_.optimizer;
    optimizer.weight_decay = check_.weight_decay;
    // Nesterov's first step adds momentum times the gradient to the gradient.
    reach_ = check_.learning_rate * (optimizer.name == "momentum" ? 1 + optimizer.momentum : 1);
    strategy_ = std::make_unique<Independent>(replicated_of(*engine_, arena_, optimizer));
    strategy_->start();
  }

  // `least`, or more where values would be rounded to as they were.
  double rate_for(double least) const {
    double rate = least;
    for (ParameterId id = 0; id < arena_.count(); ++id) {
      const double gradient = length_of(arena_.gradient(id));
      const double rounding = std::numeric_limits<float>::epsilon() * length_of(arena_.values(id));
      if (gradient > 0) rate = std::max(rate, kAboveRounding * rounding / gradient);
    }
    return std::min(rate, kMostFaster * least);
  }

  void add_way(ParameterId id) {
    std::vector<double>& moved = check_.rows[static_cast<size_t>(id)].moved;
    moved.push_back((moved.empty() ? 0 : moved.back()) + reach_ * length_of(arena_.gradient(id)));
  }

  void write_values(ParameterId id) {
    plain_.resize(static_cast<size_t>(check_.rows[static_cast<size_t>(id)].size));
    engine_->read_plain(id, arena_.values(id), plain_);
    write(plain_);
  }

  void write_state() {
    size_t row = static_cast<size_t>(arena_.count()), place = 0;
    for (const StateInfo& info : engine_->state()) {
      plain_.assign(info.values.begin(), info.values.end());
      for (float& value : plain_) value -= first_state_[place++];
      check_.rows[row++].moved.push_back(length_of(plain_));
      write(info.values);
    }
  }

  void write(std::span<const float> row) {
    file_.write(reinterpret_cast<const char*>(row.data()),
                static_cast<std::streamsize>(row.size_bytes()));
  }

  const RunPlan& plan_;
  NativeCheck& check_;
  std::unique_ptr<Engine> engine_;
  ParameterArena arena_;
  std::unique_ptr<Independent> strategy_;  // once its settings are known
  double reach_ = 0;                       // of a gradient of length 1, in one step
  std::ofstream file_;
  std::vector<float> first_state_, plain_;
};

std::vector<float> shaken(std::span<const float> images) {
  const RandomStream random(/*seed=*/1, /*stream=*/0);
  std::vector<float> changed(images.begin(), images.end());
  for (size_t i = 0; i < changed.size(); ++i)
    changed[i] *= 1 + kShaken * (random.bits(i) & 1 ? 1 : -1);
  return changed;
}

// With the settings of the check, or with those that the first step chooses.
void train(const RunPlan& plan, const InputShare& share, int steps, bool shake,
           NativeCheck& check) {
  CheckedReplica replica(plan, check);
  const std::unique_ptr<InputSource> input = make_run_input(plan, share);
  for (int step = 0; step < steps; ++step) {
    Batch batch = input->next();
    const std::vector<float> images = shake ? shaken(batch.images) : std::vector<float>();
    if (shake) batch.images = images;
    replica.train_step(batch);
  }
  replica.close();
}

void measure_noise(const RunPlan& plan, const InputShare& share, int steps, NativeCheck& check) {
  NativeCheck again{.learning_rate = check.learning_rate,
                    .weight_decay = check.weight_decay,
                    .losses = {},
                    .rows = {},
                    .values = check.values};
  again.values += ".again";
  train(plan, share, steps, true, again);
  RowFile first(check.values), second(again.values);
  for (int step = 0; step < steps; ++step) {
    for (CheckedRow& row : check.rows)
      row.noise.push_back(distance_between(first.next(row.size), second.next(row.size)));
  }
  std::filesystem::remove(again.values);
}

}  // namespace

NativeCheck native_check(const RunPlan& plan, const InputShare& share, int steps,
                         const std::filesystem::path& directory) {
  NativeCheck check;
  check.values = directory / "native.f32";
  train(plan, share, steps, false, check);
  measure_noise(plan, share, steps, check);
  return check;
}

}  // namespace lockstep
