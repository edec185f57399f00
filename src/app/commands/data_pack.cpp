// data_pack.cpp: `lockstep data pack`: writes a data set as TFRecord files.
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "app/command_line.h"
#include "app/commands/data_commands.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "data/formats/data_formats.h"
#include "data/pipeline/pack.h"
#include "report/render/remarks.h"
#include "run/run_input.h"

namespace lockstep {
namespace {

struct Options {
  std::vector<std::string> words;  // source and target
  int64_t shards = 0, threads = 0, quality = 95, seed = 1;
  bool skip_corrupt = false;
};

CommandSyntax syntax_for(Options& options) {
  return {
      .command = "data pack",
      .summary =
          "Writes a data set (JPEG files by class, CIFAR-10 or MNIST) as TFRecord files.\n"
          "After an interruption, the same command resumes.",
      .flags = {number_flag({"shards",
                             "number of training files; 0: one for every 100 MB",
                             &options.shards,
                             {0, 99999}}),
                number_flag(
                    {"threads", "number of threads; 0: every core", &options.threads, {0, 4096}}),
                number_flag({"quality",
                             "JPEG quality for data sets that store pixels",
                             &options.quality,
                             {1, 100}}),
                number_flag({"seed",
                             "random seed of the order of examples",
                             &options.seed,
                             {0, int64_t{1} << 50}}),
                switch_flag("skip-corrupt", "skip and count damaged examples instead of stopping",
                            &options.skip_corrupt)},
      .positional =
          Positional{.name = "SOURCE TARGET",
                     .help = "directory of the data set, directory for the files",
                     .set = [&options](const std::string& word) { options.words.push_back(word); },
                     .many = true,
                     .required = true}};
}

constexpr int64_t kShardBytes = 100'000'000;

int shards_for(const ExampleSource& source, const Options& options, Split split) {
  const bool chosen = options.shards > 0 && split == Split::Training;
  const int64_t shards = chosen ? options.shards : source.bytes() / kShardBytes + 1;
  return static_cast<int>(std::clamp<int64_t>(shards, 1, source.count()));
}

// False: interrupted.
bool pack_split(Context& context, const Options& options, Split split) {
  const std::string &from = options.words[0], &to = options.words[1];
  Damage damage(options.skip_corrupt ? Damage::Answer::Skip : Damage::Answer::Stop);
  const int threads = threads_or_all(options.threads);
  const auto source =
      open_examples({.directory = from, .split = split, .damage = damage, .threads = threads});
  const int quality = static_cast<int>(options.quality);
  const PackJob job = {.directory = to,
                       .split = split,
                       .examples = source->count(),
                       .shards = shards_for(*source, options, split),
                       .seed = static_cast<uint64_t>(options.seed),
                       .threads = threads,
                       .description = fmt::format(
                           "{}, quality {}", std::filesystem::absolute(from).string(), quality),
                       .make = packer_of(*source, quality)};
  const char* name = split == Split::Training ? "training" : "validation";
  const InterruptWatch interrupts;
  PackOutcome outcome;
  {
    WorkBar bar(context, name);
    outcome = pack(job, damage, [&](int64_t done, int64_t all) {
      bar.show(done, all);
      return !interrupts.interrupted();
    });
  }
  context.err << outcome_line(name, "example", outcome);
  for (const std::string& line : damage_lines(input_result({}, damage.skipped()))) {
    context.err << line << "\n";
  }
  return outcome.written_shards + outcome.kept_shards == job.shards;
}

}  // namespace

int data_pack_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  if (options.words.size() != 2) {
    throw UsageError(
        "data pack needs two directories: SOURCE (the data set) and TARGET (for the files)");
  }
  const DataFormat& format = guess_format(options.words[0]);
  const std::string data_name = format.data_name(options.words[0]);
  if (!record_files(options.words[0], Split::Training).empty()) {
    throw UsageError("{} already contains TFRecord files; pack the original data set",
                     options.words[0]);
  }
  context.err << fmt::format("data: {} in {}: {}\n", format.name, options.words[0], data_name);
  if (!pack_split(context, options, Split::Training)) return kInterrupted;
  if (format.is_there(options.words[0], Split::Validation) &&
      !pack_split(context, options, Split::Validation)) {
    return kInterrupted;
  }
  if (data_name != "imagenet") {
    write_whole_file((std::filesystem::path(options.words[1]) / kDataNameFile).string(),
                     data_name + "\n");
  }
  return kSuccess;
}

}  // namespace lockstep
