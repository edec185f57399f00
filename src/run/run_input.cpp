#include "run/run_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "comm/gather.h"
#include "config/evaluation_times.h"
#include "data/formats/data_formats.h"
#include "data/formats/missing_shards.h"
#include "launch/launchers.h"
#include "measure/host.h"
#include "run/peer_text.h"

namespace lockstep {
namespace {

// A part of what is free: the engine has taken its memory already, batches and others have not.
constexpr double kCachePart = 0.8;

std::optional<ResizeMethod> method_named(std::string_view name) {
  for (const NamedMethod& named : resize_methods()) {
    if (named.name == name) return named.method;
  }
  return {};  // round_robin: all in turn
}

SyntheticLocation location_named(std::string_view name) {
  constexpr std::pair<std::string_view, SyntheticLocation> kNames[] = {
      {"device", SyntheticLocation::Device},
      {"host", SyntheticLocation::Host},
      {"pipeline", SyntheticLocation::Pipeline}};
  return std::ranges::find(kNames, name, &std::pair<std::string_view, SyntheticLocation>::first)
      ->second;  // the option table let no other name through
}

// Networks of TensorFlow's official models are evaluated on squares from images of 256 pixels.
ImageStyle style_of(const RunConfig& config) {
  const bool official = config.input_preprocessor == "official_models_imagenet";
  return {.channel_means = official || config.ml_perf,
          .ignore_boxes = config.ml_perf,
          .shorter = official ? std::optional(256) : std::nullopt};
}

int64_t cache_limit(int workers_here) {
  const auto free = available_memory_bytes();
  if (!free) return int64_t{1} << 50;  // then the system will tell
  return static_cast<int64_t>(kCachePart * static_cast<double>(*free) / workers_here);
}

}  // namespace

void infer_data_name(RunConfig& config, std::ostream* told) {
  if (config.data_dir.empty()) return;
  const DataFormat& format = guess_format(config.data_dir);
  const std::string found = format.data_name(config.data_dir);
  if (config.data_name.empty()) {
    config.data_name = found;
    if (told)
      *told << fmt::format("data: {} in {}: --data-name {}\n", format.name, config.data_dir, found);
  } else if (config.data_name != found) {
    throw UsageError("--data-name {}: {} contains {} of {}; leave out --data-name",
                     config.data_name, config.data_dir, format.name, found);
  }
  if (config.eval || evaluates_during_training(config)) {
    guess_format(config.data_dir,
                 Split::Validation);  // throws when there is nothing to evaluate on
  }
}

bool runs_elsewhere(const RunConfig& config, const Environment& environment) {
  return !launcher_for(config, environment("SLURM_JOB_ID").has_value()).here;
}

void note_missing_files(const RunConfig& config, Split split, std::ostream& notes) {
  const std::string words = words_for(missing_shards(config.data_dir, split));
  if (!words.empty()) notes << fmt::format("note: {}: {}\n", config.data_dir, words);
}

void check_same_data(Group& group, const std::string& subject, const std::string& contents) {
  if (!contents.empty()) group.check_consistent(subject, {{"the " + subject, contents}});
}

int64_t count_training_examples(const RunConfig& config, Group& group, std::ostream& notes) {
  if (config.data_dir.empty()) return 0;
  std::string count;
  if (group.rank() == 0) {
    note_missing_files(config, Split::Training, notes);
    Damage damage(config.skip_corrupt ? Damage::Answer::Skip : Damage::Answer::Stop);
    const int threads = std::max(static_cast<int>(group.own_cores().size()), 1);
    count = fmt::to_string(
        open_examples({.directory = config.data_dir, .damage = damage, .threads = threads})
            ->count());
  }
  return number_from_peer(0, "its number of examples", broadcast_text(group.control(), count, 0));
}

InputShare input_share(const Group& group) {
  return {.rank = group.rank(),
          .ranks = group.roles().workers,
          .cores = std::max(static_cast<int>(group.own_cores().size()), 1),
          .workers_here = group.workers_here()};
}

InputSpec input_spec(const RunPlan& plan, const InputShare& share) {
  const RunConfig& config = plan.config;
  const int left = std::max(share.cores - plan.facts.threads, 1);
  const int unused = find_dataset(plan.facts.dataset).unused_classes;
  return {.image = plan.graph.shape(plan.graph.image()),
          .batch = plan.facts.batch_size,
          .layout = plan.engine_options.layout,
          .classes = plan.facts.num_classes,
          .seed = plan.first_values_seed,  // all ranks: they deal out one order
          .rank = share.rank,
          .ranks = share.ranks,
          .threads = config.data_threads > 0 ? config.data_threads : left,
          .prefetch = std::max(config.prefetch, config.batch_group_size),
          .synthetic = location_named(config.synthetic_location),
          .synthetic_labels = plan.facts.num_classes - unused,
          .directory = config.data_dir,
          .distortions = config.distortions,
          .style = style_of(config),
          .resize = method_named(config.resize_method),
          .cache = config.cache,
          .repeat_sample = config.repeat_sample,
          .skip_corrupt = config.skip_corrupt,
          .taken = plan.resume_point.examples,
          .cache_limit_bytes = cache_limit(share.workers_here)};
}

std::unique_ptr<InputSource> make_run_input(const RunPlan& plan, const InputShare& share) {
  return make_input(input_spec(plan, share));
}

InputResult input_result(const InputCost& cost, const Skipped& skipped) {
  InputResult result = {.threads = cost.threads,
                        .processor_seconds_per_image = 0,
                        .skipped = std::ssize(skipped.examples),
                        .damaged_files = skipped.files,
                        .damage = skipped.lines};
  if (cost.examples > 0) {
    result.processor_seconds_per_image =
        cost.processor_time.count() / static_cast<double>(cost.examples);
  }
  return result;
}

}  // namespace lockstep
