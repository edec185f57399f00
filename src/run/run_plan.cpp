#include "run/run_plan.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/text.h"
#include "comm/all_reduce_spec.h"
#include "config/problems.h"
#include "launch/launchers.h"
#include "nn/cost.h"
#include "nn/description/network_file.h"
#include "run/framework/framework_problems.h"
#include "run/rank/rank_device.h"
#include "run/strategy_options.h"

namespace lockstep {
namespace {

LearningRateFlags rate_flags(const RunConfig& run) {
  LearningRateFlags flags = {.initial = run.init_learning_rate,
                             .epochs_per_decay = run.num_epochs_per_decay,
                             .decay_factor = run.learning_rate_decay_factor,
                             .minimum = run.minimum_learning_rate,
                             .warmup_epochs = run.num_learning_rate_warmup_epochs,
                             .resnet_base = run.resnet_base_lr};
  const std::string& piecewise = run.piecewise_learning_rate_schedule;
  if (!piecewise.empty()) flags.piecewise = piecewise;
  return flags;
}

OptimizerSettings optimizer_settings(const RunConfig& run) {
  return {.name = run.optimizer,
          .momentum = run.momentum,
          .rmsprop_decay = run.rmsprop_decay,
          .rmsprop_momentum = run.rmsprop_momentum,
          .rmsprop_epsilon = run.rmsprop_epsilon,
          .adam_beta1 = run.adam_beta1,
          .adam_beta2 = run.adam_beta2,
          .adam_epsilon = run.adam_epsilon,
          .weight_decay = run.weight_decay,
          .gradient_clip = run.gradient_clip};
}

ModelOptions model_options(const RunConfig& run) {
  return {.num_classes = run.num_classes.value_or(0), .aux_head = run.aux_head};
}

std::vector<std::string> unheard_options(const RunConfig& run) {
  const StrategyKind& kind = find_strategy(run.variable_update);
  const bool reduces = kind.communicates && !kind.needs_servers;
  const struct {
    bool given, of_use;
    std::string_view option;
  } rows[] = {
      {!run.all_reduce_spec.empty(), reduces, "all-reduce-spec"},
      {run.gradient_compression != "none", reduces, "gradient-compression"},
      {run.bucket_mb.has_value(), reduces, "bucket-mb"},
      {run.num_ps.has_value(), kind.needs_servers, "num-ps"},
      {run.ps_in_worker, kind.needs_servers, "ps-in-worker"},
      {run.ps_per_node.has_value(), kind.needs_servers, "ps-per-node"},
      {run.gradient_op != "mean", kind.communicates, "gradient-op"},
      {!run.overlap, kind.communicates, "no-overlap"},
      {run.communicator != "auto", kind.communicates, "communicator"},
  };
  std::vector<std::string> problems;
  for (const auto& row : rows) {
    if (!row.given || row.of_use) continue;
    problems.push_back(fmt::format("--variable-update {} does not use --{}; leave it out",
                                   run.variable_update, row.option));
  }
  return problems;
}

// Channel means are those of ImageNet.
void check_image_style(const RunConfig& run) {
  if (!run.ml_perf && run.input_preprocessor == "default") return;
  const std::string dataset = model_of(run).dataset;
  if (dataset == "imagenet") return;
  throw UsageError("--{}: for images of imagenet, not of {}; leave it out",
                   run.ml_perf ? "ml-perf" : "input-preprocessor", dataset);
}

// All problems of the configuration, from every check.
std::vector<std::string> all_problems(const RunConfig& run, std::span<const EngineKind> engines,
                                      int workers) {
  std::vector<std::string> problems = problems_in(run);
  const auto add = [&](const std::vector<std::string>& more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  const auto attempt = [&](const std::function<void()>& check) {
    try {
      check();
    } catch (const UsageError& error) {  // its lines are reported with the others
      add(split(error.what(), '\n'));
    }
  };
  attempt([&] { build(model_of(run), model_options(run)); });
  attempt([&] {
    const bool only_cpu = find_engine(engines, run.engine).only_cpu && !has_framework(run);
    if (only_cpu && run.device != "cpu") {
      throw UsageError(
          "--device {}: --engine {} supports cpu only; use --device cpu, or --engine torch on a "
          "host with a GPU",
          run.device, run.engine);
    }
    if (only_cpu && run.dtype == "bf16") {  // the others are not for CPUs at all
      throw UsageError("--dtype {}: --engine {} computes in f32; use --engine torch", run.dtype,
                       run.engine);
    }
  });
  attempt([&] { gpu_indices(run); });
  attempt([&] { check_image_style(run); });
  attempt([&] {
    if (!run.all_reduce_spec.empty()) parse_all_reduce_spec(run.all_reduce_spec);
  });
  add(strategy_problems(run));
  attempt([&] { add(framework_problems(run)); });
  add(launcher_problems(run));
  if (!run.train_dir.empty() && workers > 1 && !find_strategy(run.variable_update).communicates) {
    problems.push_back(
        fmt::format("--train-dir stores one set of values, but with --variable-update {} every "
                    "device has its own; use another strategy",
                    run.variable_update));
  }
  add(problems_in(rate_flags(run)));
  add(problems_in(optimizer_settings(run)));
  return problems;
}

// Enough steps to use every example of --num-epochs epochs.
int steps_of(const RunConfig& run, int64_t examples, int64_t batch) {
  if (!run.num_epochs) return run.num_batches.value_or(kDefaultTimedSteps);
  const double steps = std::floor(
      (*run.num_epochs * static_cast<double>(examples) + static_cast<double>(batch) - 1) /
      static_cast<double>(batch));
  constexpr double kMost = 10e6;  // as of --num-batches
  if (steps > kMost) {
    throw UsageError("--num-epochs {} needs {:.0f} steps; use at most {:.0f} steps",
                     *run.num_epochs, steps, kMost);
  }
  return std::max(static_cast<int>(steps), 1);
}

ConvAlgorithm conv_algorithm(std::string_view name) {
  constexpr std::pair<std::string_view, ConvAlgorithm> kNames[] = {
      {"auto", ConvAlgorithm::Auto},
      {"direct", ConvAlgorithm::Direct},
      {"winograd", ConvAlgorithm::Winograd}};
  const auto row = std::find_if(std::begin(kNames), std::end(kNames),
                                [&](const auto& named) { return named.first == name; });
  assert(row != std::end(kNames));  // the option table let no other name through
  return row->second;
}

LossScale loss_scale(const RunConfig& run) {
  constexpr double kDefault = 128;  // as tf_cnn_benchmarks
  if (run.dtype != "fp16") return {};
  return {.first = run.fp16_loss_scale.value_or(kDefault),
          .automatic = run.fp16_enable_auto_loss_scale,
          .steps_to_double = run.fp16_inc_loss_scale_every_n};
}

RunFacts facts_of(const RunConfig& run, const Model& model, const Graph& graph, int workers) {
  const Cost cost = cost_of(graph);
  return {.model = model.name,
          .dataset = model.dataset,
          .image_size = model.image_size,
          .num_classes = run.num_classes.value_or(classes_of(model)),
          .batch_size = run.batch_size > 0 ? run.batch_size : model.default_batch_size,
          .warmup_steps = run.num_warmup_batches,
          .parameters = cost.parameters,
          .gradient_tensors = cost.gradient_tensors,
          .forward_macs = cost.forward_macs,
          .devices = workers};
}

}  // namespace

std::vector<std::string> strategy_problems(const RunConfig& run) {
  std::vector<std::string> problems =
      problems_in(find_strategy(run.variable_update), sync_options(run));
  std::ranges::move(unheard_options(run), std::back_inserter(problems));
  return problems;
}

RunPlan plan_run(const RunConfig& run, std::span<const EngineKind> engines, int workers) {
  const std::vector<std::string> problems = all_problems(run, engines, workers);
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
  const Model model = model_of(run);
  Graph graph = build(model, model_options(run));
  const RunFacts facts = facts_of(run, model, graph, workers);
  RunPlan plan = {
      .config = run,
      .engine = &find_engine(engines, run.engine),
      .graph = std::move(graph),
      .facts = facts,
      .engine_options = {.batch = facts.batch_size,
                         .mode = run.forward_only || run.eval ? Mode::Inference : Mode::Training,
                         .layout =
                             run.data_format == "NHWC" ? ImageLayout::Nhwc : ImageLayout::Nchw,
                         .device = run.device,
                         .dtype = dtype_named(run.dtype),
                         .loss_scale = loss_scale(run),
                         .graph = run.graph,
                         .convolution = conv_algorithm(run.conv_algo)},
      .optimizer = optimizer_settings(run),
      .strategy = &find_strategy(run.variable_update),
      .first_values_seed = static_cast<uint64_t>(run.seed)};
  assign_worker(plan, {});
  return plan;
}

void assign_worker(RunPlan& plan, const WorkerShare& share) {
  const RunConfig& run = plan.config;
  const Model model = model_of(run);
  const int global_batch = plan.facts.batch_size * plan.facts.devices;
  const int64_t known = find_dataset(model.dataset).training_examples;
  const int64_t examples = share.training_examples > 0 ? share.training_examples : known;
  plan.facts.threads = plan.engine_options.threads = run.threads > 0 ? run.threads : share.threads;
  // Every worker drops other activations.
  plan.engine_options.seed = plan.first_values_seed + static_cast<uint64_t>(share.rank);
  plan.facts.timed_steps = steps_of(run, examples, global_batch);
  plan.examples_per_epoch = examples;
  plan.schedule =
      make_schedule(model.schedule, rate_flags(run),
                    {.examples_per_epoch = examples, .examples_per_step = global_batch});
  plan.epochs =
      static_cast<double>(plan.facts.timed_steps) * global_batch / static_cast<double>(examples);
}

}  // namespace lockstep
