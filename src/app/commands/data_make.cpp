// data_make.cpp: `lockstep data make`: a data set of made-up JPEG images.
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "app/commands/data_commands.h"
#include "base/interrupt.h"
#include "base/error.h"
#include "base/text.h"
#include "data/pixels/made_images.h"
#include "data/pipeline/pack.h"

namespace lockstep {
namespace {

struct Wishes {
  std::string directory;
  int64_t images = 1000, validation = 0, shards = 0, classes = 1000, threads = 0, quality = 90;
  int64_t seed = 1, height = 0, width = 0;
};

CommandSyntax syntax_for(Wishes& wishes) {
  constexpr int64_t kMostImages = 100'000'000;
  return {.command = "data make",
          .summary =
              "Makes up a data set of JPEG images that are read and decoded like photographs.\n"
              "Called again after an interruption it goes on where it was.",
          .flags = {number_flag({"images", "to train on", &wishes.images, 1, kMostImages}),
                    number_flag({"validation", "images to validate on", &wishes.validation, 0,
                                 kMostImages}),
                    number_flag({"classes", "labels are 1 to this", &wishes.classes, 1, 1000000}),
                    number_flag({"shards", "files; 0: one for every 1000 images", &wishes.shards, 0,
                                 99999}),
                    number_flag({"height", "of all images; 0: sizes like ImageNet's",
                                 &wishes.height, 0, 20000}),
                    number_flag({"width", "of all images; 0: sizes like ImageNet's", &wishes.width,
                                 0, 20000}),
                    number_flag({"quality", "of the JPEGs", &wishes.quality, 1, 100}),
                    number_flag({"threads", "0: every core", &wishes.threads, 0, 4096}),
                    number_flag({"seed", "of everything", &wishes.seed})},
          .positional =
              Positional{.name = "TARGET",
                         .help = "directory for the files",
                         .set = [&wishes](const std::string& word) { wishes.directory = word; },
                         .required = true}};
}

PackedExample made_example(const Wishes& wishes, Split split, int64_t index) {
  const uint64_t seed = static_cast<uint64_t>(wishes.seed) * 2 + (split == Split::Training ? 0 : 1);
  ImageSize size = made_image_size(seed, index);
  if (wishes.height > 0) {
    size = {static_cast<int>(wishes.height), static_cast<int>(wishes.width)};
  }
  const ByteBuffer pixels = made_image(size, seed, index);
  const PixelView view = {pixels.data(), size.height, size.width, 3, int64_t{size.width} * 3};
  const int64_t label = 1 + index % wishes.classes;
  return {.jpeg = encode_jpeg(view, {.quality = static_cast<int>(wishes.quality)}),
          .label = label,
          .height = size.height,
          .width = size.width,
          .class_name = fmt::format("class{:05}", label),
          .file_name = fmt::format("made{:08}.JPEG", index)};
}

// False: interrupted.
bool make_split(Context& context, const Wishes& wishes, Split split) {
  const bool training = split == Split::Training;
  const int64_t images = training ? wishes.images : wishes.validation;
  const int64_t shards = wishes.shards > 0 ? wishes.shards : (images + 999) / 1000;
  const PackJob job = {
      .directory = wishes.directory,
      .split = split,
      .examples = images,
      .shards = static_cast<int>(std::min(shards, images)),
      .seed = static_cast<uint64_t>(wishes.seed),
      .threads = threads_or_all(wishes.threads),
      .description = fmt::format("made up: {} classes, quality {}, height {}, width {}",
                                 wishes.classes, wishes.quality, wishes.height, wishes.width),
      .make = [&, split](int64_t index) { return made_example(wishes, split, index); }};
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
  Wishes wishes;
  const CommandSyntax syntax = syntax_for(wishes);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  if (wishes.directory.empty()) throw UsageError("data make needs a directory for the files");
  if ((wishes.height > 0) != (wishes.width > 0)) {
    throw UsageError("--height and --width belong together");
  }
  if (!make_split(context, wishes, Split::Training)) return kInterrupted;
  if (wishes.validation > 0 && !make_split(context, wishes, Split::Validation)) return kInterrupted;
  return kSuccess;
}

}  // namespace lockstep
