#include "data/pipeline/pack.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <optional>

#include "base/atomic_file.h"
#include "base/directory_lock.h"
#include "data/formats/data_formats.h"
#include "data/formats/parallel_for.h"
#include "data/formats/tfrecord.h"
#include "data/pipeline/epoch_order.h"
#include "data/pixels/jpeg_encode.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct Stopped {};

// While shards are missing, and when all are there.
fs::path note_of(const PackJob& job, bool finished) {
  const std::string_view split = job.split == Split::Training ? "train" : "validation";
  return fs::path(job.directory) /
         (finished ? fmt::format("packed_{}.txt", split) : fmt::format(".packing-{}", split));
}

void make_directory(const std::string& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure) throw UsageError("cannot create {}: {}", directory, failure.message());
}

std::string on_one_line(std::string_view note) {
  std::string line(note.substr(0, note.find_last_not_of('\n') + 1));
  for (size_t at = 0; (at = line.find('\n', at)) != std::string::npos;) line.replace(at, 1, ", ");
  return line;
}

// Refuses to mix two packings.
void check_note(const PackJob& job) {
  const std::string text = fmt::format("{}\n{} examples, {} shards, seed {}\n", job.description,
                                       job.examples, job.shards, job.seed);
  for (const bool finished : {false, true}) {
    const fs::path note = note_of(job, finished);
    if (!fs::exists(note)) continue;
    const ByteBuffer before = read_whole(note.string(), 1 << 20);
    if (text_of(ByteView(before)) == text) return;
    throw UsageError("{} has shards of another packing ({}); remove it or choose another directory",
                     job.directory, on_one_line(text_of(ByteView(before))));
  }
  if (!record_files(job.directory, job.split).empty()) {
    throw UsageError("{} has shards that lockstep did not pack; choose another directory",
                     job.directory);
  }
  const std::string note = note_of(job, false).string(), why = why_unwritable(note);
  if (!why.empty()) throw UsageError("cannot write to {}: {}", job.directory, why);
  write_whole_file(note, text);
}

// A shard under its temporary name; removed unless appear() renames it.
class HiddenShard {
 public:
  explicit HiddenShard(const fs::path& place)
      : place_(place),
        hidden_(place.parent_path() / ("." + place.filename().string() + ".partial")),
        writer_(hidden_.string()) {}
  ~HiddenShard() {
    std::error_code ignored;  // after appear() there is none
    fs::remove(hidden_, ignored);
  }
  HiddenShard(const HiddenShard&) = delete;
  HiddenShard& operator=(const HiddenShard&) = delete;

  RecordWriter& writer() { return writer_; }
  void appear() {
    writer_.finish();
    std::error_code failure;
    fs::rename(hidden_, place_, failure);
    if (failure) throw Error("cannot write {}: {}", place_.string(), failure.message());
  }

 private:
  fs::path place_, hidden_;
  RecordWriter writer_;
};

struct Counts {
  std::atomic<int64_t> examples = 0, bytes = 0;
  std::atomic<int> written = 0, kept = 0;
};

class Packing {
 public:
  Packing(const PackJob& job, Damage& damage, const std::function<bool(int64_t, int64_t)>& progress)
      : job_(job),
        damage_(damage),
        progress_(progress),
        order_(order_of_epoch({.examples = job.examples, .seed = job.seed}, 0)) {}

  void write(int shard) {
    const fs::path place = fs::path(job_.directory) / shard_name(job_.split, shard, job_.shards);
    const int64_t begin = first_of(shard), end = first_of(shard + 1);
    if (fs::exists(place)) {
      ++counts_.kept;
      return report(end - begin);
    }
    HiddenShard shard_file(place);
    for (int64_t i = begin; i < end; ++i) {
      add(order_[static_cast<size_t>(i)], shard_file.writer());
      report(1);
    }
    shard_file.appear();
    ++counts_.written;
  }
  PackOutcome outcome() const {
    return {.written_shards = counts_.written,
            .kept_shards = counts_.kept,
            .written_examples = counts_.examples,
            .bytes = counts_.bytes};
  }

 private:
  int64_t first_of(int shard) const { return job_.examples * shard / job_.shards; }

  void add(int64_t index, RecordWriter& writer) {
    const std::optional<PackedExample> example = make(index);
    if (!example) return;
    const RecordPlace place = writer.write(image_record_of({.jpeg = example->jpeg,
                                                            .label = example->label,
                                                            .height = example->height,
                                                            .width = example->width,
                                                            .channels = example->channels,
                                                            .class_name = example->class_name,
                                                            .file_name = example->file_name}));
    ++counts_.examples;
    counts_.bytes += place.end() - place.offset;
  }
  // Only read errors may be skipped: a full disk would leave a partial record.
  std::optional<PackedExample> make(int64_t index) {
    try {
      return job_.make(index);
    } catch (const Error& error) {
      damage_.met(error, index);
      return {};
    }
  }
  void report(int64_t more) {
    const std::lock_guard lock(mutex_);
    done_ += more;
    if (!progress_(done_, job_.examples)) throw Stopped{};
  }

  const PackJob& job_;
  Damage& damage_;
  const std::function<bool(int64_t, int64_t)>& progress_;
  std::vector<int64_t> order_;
  Counts counts_;
  std::mutex mutex_;
  int64_t done_ = 0;
};

// Left by a killed process: only packing uses such names.
void remove_partial(const std::string& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') && name.ends_with(".partial")) fs::remove(entry.path());
  }
}

}  // namespace

std::string shard_name(Split split, int shard, int shards) {
  return fmt::format("{}-{:05}-of-{:05}", split == Split::Training ? "train" : "validation", shard,
                     shards);
}

PackOutcome pack(const PackJob& job, Damage& damage,
                 const std::function<bool(int64_t, int64_t)>& progress) {
  make_directory(job.directory);
  // Another process would take our partial files for those of a killed process.
  const DirectoryLock lock(job.directory);
  if (lock.is_elsewhere()) throw UsageError("another process is packing into {}", job.directory);
  check_note(job);
  remove_partial(job.directory);
  Packing packing(job, damage, progress);
  try {
    for_each_in_parallel(job.shards, job.threads,
                         [&](int64_t shard) { packing.write(static_cast<int>(shard)); });
  } catch (const Stopped&) {  // complete shards stay; the next call resumes from them
  }
  const PackOutcome outcome = packing.outcome();
  const bool finished = outcome.written_shards + outcome.kept_shards == job.shards;
  const fs::path note = note_of(job, false);
  if (finished && fs::exists(note)) fs::rename(note, note_of(job, true));
  return outcome;
}

MakeExample packer_of(const ExampleSource& source, int quality) {
  return [&source, quality](int64_t index) {
    EncodedExample example;
    source.read(index, example);
    PackedExample packed;
    packed.label = example.label;
    packed.file_name = fs::path(source.where(index)).filename().string();
    try {
      if (example.form == EncodedExample::Form::Pixels) {
        const PixelView view = {.data = example.bytes.data(),
                                .height = example.height,
                                .width = example.width,
                                .channels = example.channels,
                                .row_bytes = int64_t{example.width} * example.channels};
        packed.jpeg = encode_jpeg(view, {.quality = quality, .full_colour = true});
        packed.channels = example.channels;
        packed.height = example.height;
        packed.width = example.width;
      } else {
        const ImageSize size = JpegDecoder().open(example.bytes);
        packed.jpeg.assign(example.bytes.begin(), example.bytes.end());
        packed.height = size.height;
        packed.width = size.width;
        packed.class_name = fs::path(source.where(index)).parent_path().filename().string();
      }
    } catch (const Error& error) {
      throw Error("{}: {}", source.where(index), error.what());
    }
    return packed;
  };
}

}  // namespace lockstep
