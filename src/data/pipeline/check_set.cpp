#include "data/pipeline/check_set.h"

#include <algorithm>
#include <mutex>

#include "data/formats/data_formats.h"
#include "data/formats/parallel_for.h"
#include "data/pixels/jpeg_decode.h"

namespace lockstep {
namespace {

constexpr int64_t kPiece = 64;  // examples that a thread checks before it reports

// The coarsest decoding still reads all data, so any damage is found.
ImageSize decoded_size(const EncodedExample& example, JpegDecoder& decoder) {
  if (example.form == EncodedExample::Form::Pixels) return {example.height, example.width};
  const ImageSize size = decoder.open(example.bytes);
  decoder.decode({.left = 0, .top = 0, .width = size.width, .height = size.height}, 8);
  return size;
}

// What one thread found in one piece.
struct Findings {
  std::map<int64_t, int64_t> labels;
  int most_height = 0, most_width = 0;
};

Findings look_at(const ExampleSource& source, int64_t begin, int64_t end, Damage& damage) {
  Findings findings;
  JpegDecoder decoder;
  EncodedExample example;
  for (int64_t index = begin; index < end; ++index) {
    try {
      source.read(index, example);
      ++findings.labels[example.label];
      try {
        const ImageSize size = decoded_size(example, decoder);
        findings.most_height = std::max(findings.most_height, size.height);
        findings.most_width = std::max(findings.most_width, size.width);
      } catch (const Error& error) {
        throw Error("{}: {}", source.where(index), error.what());
      }
    } catch (const Error& error) {
      damage.met(error, index);
    }
  }
  return findings;
}

void note_balance(const ExampleSource& source, CheckReport& report) {
  const auto begins = source.group_begins();
  report.groups = std::max(1, static_cast<int>(begins.size()));
  report.smallest_group = report.largest_group = source.count();
  if (begins.empty()) return;
  report.largest_group = 0;
  for (size_t i = 0; i < begins.size(); ++i) {
    const int64_t end = i + 1 < begins.size() ? begins[i + 1] : source.count();
    report.smallest_group = std::min(report.smallest_group, end - begins[i]);
    report.largest_group = std::max(report.largest_group, end - begins[i]);
  }
}

}  // namespace

CheckReport check_data_set(const CheckRequest& request,
                           const std::function<void(int64_t, int64_t)>& progress) {
  const DataFormat& format = guess_format(request.directory, request.split);
  Damage damage(Damage::Answer::Skip);
  const std::unique_ptr<ExampleSource> source = format.open({.directory = request.directory,
                                                             .split = request.split,
                                                             .damage = damage,
                                                             .threads = request.threads});
  CheckReport report = {.format = std::string(format.name),
                        .data_name = format.data_name(request.directory),
                        .examples = source->count(),
                        .bytes = source->bytes(),
                        .damage_lines = {},
                        .labels = {}};
  report.missing = missing_shards(request.directory, request.split);
  note_balance(*source, report);
  std::mutex mutex;
  int64_t done = 0;
  for_each_in_parallel(
      (source->count() + kPiece - 1) / kPiece, request.threads, [&](int64_t piece) {
        const int64_t begin = piece * kPiece, end = std::min(begin + kPiece, source->count());
        const Findings findings = look_at(*source, begin, end, damage);
        const std::lock_guard lock(mutex);
        for (const auto& [label, count] : findings.labels) report.labels[label] += count;
        report.most_height = std::max(report.most_height, findings.most_height);
        report.most_width = std::max(report.most_width, findings.most_width);
        done += end - begin;
        progress(done, source->count());
      });
  report.damaged = damage.count();
  report.damage_lines = damage.skipped().lines;
  return report;
}

}  // namespace lockstep
