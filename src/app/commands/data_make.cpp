// data_make.cpp: `lockstep data make`: generates a data set of synthetic JPEG images.
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "app/command_line.h"
#include "app/commands/data_commands.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "data/pipeline/pack.h"
#include "data/pixels/made_images.h"

namespace lockstep {
namespace {

struct Options {
  std::string directory;
  int64_t images = 1000, validation = 0, shards = 0, classes = 1000, threads = 0, quality = 90;
  int64_t seed = 1, height = 0, width = 0;
};

CommandSyntax syntax_for(Options& options) {
  constexpr int64_t kMostImages = 100'000'000;
  return {
      .command = "data make",
      .summary =
          "Generates a data set of JPEG images that are read and decoded like photographs.\n"
          "After an interruption, the same command resumes.",
      .flags =
          {number_flag({"images", "number of training images", &options.images, {1, kMostImages}}),
           number_flag({"validation",
                        "number of validation images",
                        &options.validation,
                        {0, kMostImages}}),
           number_flag(
               {"classes", "number of classes; labels are 1 to N", &options.classes, {1, 1000000}}),
           number_flag({"shards",
                        "number of files; 0: one for every 1000 images",
                        &options.shards,
                        {0, 99999}}),
           number_flag({"height",
                        "height in pixels; 0: sizes like ImageNet's",
                        &options.height,
                        {0, 20000}}),
           number_flag(
               {"width", "width in pixels; 0: sizes like ImageNet's", &options.width, {0, 20000}}),
           number_flag({"quality", "JPEG quality", &options.quality, {1, 100}}),
           number_flag(
               {"threads", "number of threads; 0: every core", &options.threads, {0, 4096}}),
           number_flag({"seed", "random seed", &options.seed, {0, int64_t{1} << 50}})},
      .positional =
          Positional{.name = "TARGET",
                     .help = "directory for the files",
                     .set = [&options](const std::string& word) { options.directory = word; },
                     .required = true}};
}

PackedExample made_example(const Options& options, Split split, int64_t index) {
  const uint64_t seed =
      static_cast<uint64_t>(options.seed) * 2 + (split == Split::Training ? 0 : 1);
  ImageSize size = made_image_size(seed, index);
  if (options.height > 0) {
    size = {static_cast<int>(options.height), static_cast<int>(options.width)};
  }
  const ByteBuffer pixels = made_image(size, seed, index);
  const PixelView view = {pixels.data(), size.height, size.width, 3, int64_t{size.width} * 3};
  const int64_t label = 1 + index % options.classes;
  return {.jpeg = encode_jpeg(view, {.quality = static_cast<int>(options.quality)}),
          .label = label,
          .height = size.height,
          .width = size.width,
          .class_name = fmt::format("class{:05}", label),
          .file_name = fmt::format("made{:08}.JPEG", index)};
}

// False: interrupted.
bool make_split(Context& context, const Options& options, Split split) {
  const bool training = split == Split::Training;
  const int64_t images = training ? options.images : options.validation;
  const int64_t shards = options.shards > 0 ? options.shards : (images + 999) / 1000;
  const PackJob job = {
      .directory = options.directory,
      .split = split,
      .examples = images,
      .shards = static_cast<int>(std::min(shards, images)),
      .seed = static_cast<uint64_t>(options.seed),
      .threads = threads_or_all(options.threads),
      .description = fmt::format("made up: {} classes, quality {}, height {}, width {}",
                                 options.classes, options.quality, options.height, options.width),
      .make = [&, split](int64_t index) { return made_example(options, split, index); }};
  Damage damage;
  const InterruptWatch interrupts;
  PackOutcome outcome;
  {
    WorkBar bar(context, training ? "training" : "validation");
    outcome = pack(job, damage, [&](int64_t done, int64_t all) {
      bar.show(done, all);
      return !interrupts.interrupted();
    });
  }
  context.err << outcome_line(training ? "training" : "validation", "image", outcome);
  return outcome.written_shards + outcome.kept_shards == job.shards;
}

}  // namespace

int data_make_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  if (options.directory.empty()) throw UsageError("data make needs a directory for the files");
  if ((options.height > 0) != (options.width > 0)) {
    throw UsageError("--height and --width require each other");
  }
  if (!make_split(context, options, Split::Training)) return kInterrupted;
  if (options.validation > 0 && !make_split(context, options, Split::Validation))
    return kInterrupted;
  return kSuccess;
}

}  // namespace lockstep
