// data_bench.cpp: `lockstep data bench`: measures the throughput of each input stage.
#include <fmt/format.h>

#include <ostream>

#include "app/command_line.h"
#include "app/commands/data_commands.h"
#include "base/error.h"
#include "base/text.h"
#include "config/json.h"
#include "config/run_json.h"
#include "data/formats/data_formats.h"
#include "data/pipeline/bench_stages.h"
#include "data/pipeline/cached_source.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

struct Options {
  std::string directory;
  int64_t threads = 0, image_size = 224, batch_size = 32, milliseconds = 1000;
  bool distortions = false, cache = false, json = false;
};

CommandSyntax syntax_for(Options& options) {
  return {
      .command = "data bench",
      .summary =
          "Measures images per second of reading, decoding, augmenting and the whole\n"
          "pipeline, by number of threads.",
      .flags =
          {number_flag({"threads",
                        "largest number of threads; 0: every core",
                        &options.threads,
                        {0, 4096}}),
           number_flag({"image-size",
                        "height and width of the network's input in pixels",
                        &options.image_size,
                        {1, 4096}}),
           number_flag(
               {"batch-size", "images per batch of the pipeline", &options.batch_size, {1, 65536}}),
           number_flag({"milliseconds",
                        "duration of each measurement in ms",
                        &options.milliseconds,
                        {1, 3600'000}}),
           switch_flag("distortions", "also augment with random colours", &options.distortions),
           switch_flag("cache", "read from memory instead of files", &options.cache),
           switch_flag("json", "print JSON", &options.json)},
      .positional =
          Positional{.name = "DIR",
                     .help = "directory of the data set",
                     .set = [&options](const std::string& word) { options.directory = word; },
                     .required = true}};
}

// 1, 2, 4, ... and `most`.
std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  for (int threads = 1; threads < most; threads *= 2) counts.push_back(threads);
  counts.push_back(most);
  return counts;
}

std::string table_of(const std::vector<StageRate>& rates) {
  using Align = TextTable::Align;
  TextTable table(
      {{"stage", Align::Left}, {"threads"}, {"images/sec"}, {"MB/sec"}, {"images/core sec"}});
  for (const StageRate& rate : rates) {
    table.add({std::string(rate.stage), std::to_string(rate.threads),
               fmt::format("{:.1f}", rate.images_per_second),
               fmt::format("{:.1f}", rate.bytes_per_second / 1e6),
               fmt::format("{:.1f}", rate.images_per_core_second)});
  }
  std::string text = table.text() + "\n";
  for (const Stage& stage : stages()) text += fmt::format("{}: {}\n", stage.name, stage.what);
  return text;
}

Json json_of(const std::vector<StageRate>& rates) {
  Json rows = Json::array();
  for (const StageRate& rate : rates) {
    rows.push_back({{"stage", rate.stage},
                    {"threads", rate.threads},
                    {"images_per_second", rate.images_per_second},
                    {"bytes_per_second", rate.bytes_per_second},
                    {"images_per_core_second", rate.images_per_core_second}});
  }
  return rows;
}

Shape image_for(const ExampleSource& source, int size) {
  EncodedExample example;
  source.read(0, example);
  const bool pixels = example.form == EncodedExample::Form::Pixels;
  if (pixels) return {example.channels, example.height, example.width};
  return {3, size, size};
}

}  // namespace

int data_bench_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  if (options.directory.empty()) throw UsageError("data bench needs the directory of a data set");
  Damage damage;
  const int most = threads_or_all(options.threads);
  std::unique_ptr<ExampleSource> source =
      open_examples({.directory = options.directory, .damage = damage, .threads = most});
  if (options.cache) source = std::make_unique<CachedSource>(std::move(source));
  const Shape image = image_for(*source, static_cast<int>(options.image_size));
  std::vector<StageRate> rates;
  for (const Stage& stage : stages()) {
    for (const int threads : thread_counts(most)) {
      rates.push_back(stage.measure(
          *source, {.preprocess = {.image = image, .distortions = options.distortions},
                    .batch = static_cast<int>(options.batch_size),
                    .threads = threads,
                    .time = Seconds(static_cast<double>(options.milliseconds) / 1e3)}));
    }
  }
  context.out << (options.json ? json_of(rates).dump(1) + "\n" : table_of(rates));
  return kSuccess;
}

}  // namespace lockstep
