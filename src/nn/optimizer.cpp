#include "nn/optimizer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "base/error.h"
#include "nn/chunks.h"
#include "nn/update_rules.h"

namespace lockstep {
namespace {

constexpr int64_t kFloatsPerCacheLine = 16;

// An Optimizer by a rule of update_rules.h.
template <typename Rule>
class RuleOptimizer : public Optimizer {
 public:
  RuleOptimizer(const OptimizerSettings& settings, std::span<const OptimizedParameter> parameters)
      : rule_(settings),
        weight_decay_(static_cast<float>(settings.weight_decay)),
        parameters_(parameters.begin(), parameters.end()) {
    if (settings.gradient_clip) seen_.limit = static_cast<float>(*settings.gradient_clip);
    allocate();
  }

  void begin_step(double learning_rate, double gradient_scale) override {
    rule_.begin_step(learning_rate, ++steps_);
    seen_.scale = static_cast<float>(gradient_scale);
  }

  double apply(ParameterId id, std::span<float> values, std::span<const float> gradient) override {
    assert(std::ssize(values) == parameters_[id].stored_floats);
    assert(gradient.size() == values.size());
    SeenGradient seen = seen_;
    seen.weight_decay = parameters_[id].decays ? weight_decay_ : 0;
    const double squares =
        sum_over_chunks(std::ssize(values), partial_, [&](int64_t begin, int64_t count) {
          return static_cast<double>(rule_.update(
              {count, values.data() + begin, gradient.data() + begin, rows(id, begin)}, seen));
        });
    return parameters_[id].decays ? squares : 0;
  }

  std::vector<NamedState> state(ParameterId id) override {
    std::vector<NamedState> named;
    for (size_t kind = 0; kind < Rule::kState.size(); ++kind) {
      named.push_back({Rule::kState[kind].name, row(kind, id)});
    }
    return named;
  }

  int64_t steps() const override { return steps_; }
  void set_steps(int64_t steps) override { steps_ = steps; }

 private:
  void allocate() {
    int64_t floats = 0, longest = 0;
    for (const OptimizedParameter& parameter : parameters_) {
      offsets_.push_back(floats);
      const int64_t lines =
          (parameter.stored_floats + kFloatsPerCacheLine - 1) / kFloatsPerCacheLine;
      floats += lines * kFloatsPerCacheLine;
      longest = std::max(longest, parameter.stored_floats);
    }
    partial_.resize(chunks_in(longest));
    for (size_t kind = 0; kind < Rule::kState.size(); ++kind) {
      states_[kind] = Memory(floats * static_cast<int64_t>(sizeof(float)));
      const float initial = Rule::kState[kind].initial;
      if (initial != 0) std::ranges::fill(states_[kind].floats(), initial);
    }
  }

  std::span<float> row(size_t kind, ParameterId id) const {
    return states_[kind].floats().subspan(offsets_[id], parameters_[id].stored_floats);
  }
  std::array<float*, 2> rows(ParameterId id, int64_t begin) const {
    std::array<float*, 2> pointers = {};
    for (size_t kind = 0; kind < Rule::kState.size(); ++kind) {
      pointers[kind] = row(kind, id).data() + begin;
    }
    return pointers;
  }

  Rule rule_;
  SeenGradient seen_;
  float weight_decay_;
  int64_t steps_ = 0;
  std::vector<OptimizedParameter> parameters_;
  std::vector<int64_t> offsets_;  // of each parameter in a state's memory, in floats
  std::array<Memory, 2> states_;  // one per kind, all parameters in each
  std::vector<double> partial_;   // room for sum_over_chunks
};

template <typename Rule>
std::unique_ptr<Optimizer> make(const OptimizerSettings& settings,
                                std::span<const OptimizedParameter> parameters) {
  return std::make_unique<RuleOptimizer<Rule>>(settings, parameters);
}

template <typename Rule>
std::vector<std::string_view> memory() {
  std::vector<std::string_view> names;
  for (const StateKind& kind : Rule::kState) names.push_back(kind.name);
  return names;
}

struct Family {
  std::string_view name;
  std::unique_ptr<Optimizer> (*make)(const OptimizerSettings&, std::span<const OptimizedParameter>);
  std::vector<std::string_view> (*memory)();
};
constexpr Family kFamilies[] = {
    {"sgd", make<SgdRule>, memory<SgdRule>},
    {"momentum", make<MomentumRule>, memory<MomentumRule>},
    {"rmsprop", make<RmspropRule>, memory<RmspropRule>},
    {"adam", make<AdamRule>, memory<AdamRule>},
};

bool is_fraction(double x) { return x >= 0 && x < 1; }
// As the rules will see it: a number too small for a float would divide zero by zero.
bool is_positive(double x) { return static_cast<float>(x) > 0; }

}  // namespace

std::vector<std::string_view> optimizer_names() {
  std::vector<std::string_view> names;
  for (const Family& family : kFamilies) names.push_back(family.name);
  return names;
}

std::vector<std::string_view> optimizer_memory(std::string_view name) {
  return std::ranges::find(kFamilies, name, &Family::name)->memory();
}

std::vector<std::string> problems_in(const OptimizerSettings& settings) {
  std::vector<std::string> problems;
  const auto need = [&](bool fine, std::string_view flag, std::string_view what, auto given) {
    if (!fine) problems.push_back(fmt::format("{} must be {}, not {}", flag, what, given));
  };
  const std::vector<std::string_view> names = optimizer_names();
  need(std::ranges::count(names, settings.name) == 1, "--optimizer",
       fmt::format("one of {}", fmt::join(names, ", ")), settings.name);
  constexpr std::string_view kFraction = "at least 0 and below 1", kPositive = "above 0";
  need(is_fraction(settings.momentum), "--momentum", kFraction, settings.momentum);
  need(is_fraction(settings.rmsprop_decay), "--rmsprop-decay", kFraction, settings.rmsprop_decay);
  need(is_fraction(settings.rmsprop_momentum), "--rmsprop-momentum", kFraction,
       settings.rmsprop_momentum);
  need(is_positive(settings.rmsprop_epsilon), "--rmsprop-epsilon", kPositive,
       settings.rmsprop_epsilon);
  need(is_fraction(settings.adam_beta1), "--adam-beta1", kFraction, settings.adam_beta1);
  need(is_fraction(settings.adam_beta2), "--adam-beta2", kFraction, settings.adam_beta2);
  need(is_positive(settings.adam_epsilon), "--adam-epsilon", kPositive, settings.adam_epsilon);
  need(settings.weight_decay >= 0, "--weight-decay", "at least 0", settings.weight_decay);
  const double clip = settings.gradient_clip.value_or(1);
  need(is_positive(clip), "--gradient-clip", kPositive, clip);
  return problems;
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                          std::span<const OptimizedParameter> parameters) {
  const std::vector<std::string> problems = problems_in(settings);
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
  return std::ranges::find(kFamilies, settings.name, &Family::name)->make(settings, parameters);
}

}  // namespace lockstep
