#include "app/commands/allreduce_work.h"

#include <numeric>

#include "base/error.h"
#include "base/text.h"
#include "nn/description/network_file.h"
#include "nn/parameters.h"
#include "sync/buckets.h"

namespace lockstep {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);

std::vector<Bucket> buckets_of(const RunConfig& run, int64_t bucket_bytes) {
  const std::vector<ParameterSpec> parameters = parameters_of(build(model_of(run)));
  std::vector<int64_t> floats;
  for (const ParameterSpec& parameter : parameters) floats.push_back(parameter.shape.elements());
  std::vector<ParameterId> backward(parameters.size());  // last layer first
  std::iota(backward.rbegin(), backward.rend(), 0);
  return make_buckets(ArenaLayout(floats, backward), bucket_bytes);
}

}  // namespace

int64_t parse_bytes(const std::string& option, const std::string& text) {
  constexpr std::string_view kUnits = "KMG";
  std::string digits = text;
  int64_t unit = 1;
  const char last = text.empty() ? '0' : static_cast<char>(std::toupper(text.back()));
  const size_t place = kUnits.find(last);
  if (place != std::string_view::npos) {
    unit = int64_t{1} << (10 * (place + 1));
    digits.pop_back();
  }
  const auto number = whole_number(digits);
  if (!number || *number < 1 || *number > (int64_t{1} << 40) / unit) {
    throw UsageError("--{} must be a number of bytes such as 8, 64K or 128M, not '{}'", option,
                     text);
  }
  return *number * unit;
}

int64_t Reduction::bytes() const {
  return kFloatBytes * std::accumulate(message_floats.begin(), message_floats.end(), int64_t{0});
}

std::vector<Reduction> reductions_of(const SizeRange& range) {
  if (range.most_bytes < range.least_bytes) {
    throw UsageError("--maxbytes {} is below --minbytes {}", range.most_bytes, range.least_bytes);
  }
  const int64_t least = (range.least_bytes + kFloatBytes - 1) / kFloatBytes * kFloatBytes;
  if (range.most_bytes < least) {
    throw UsageError(
        "--minbytes {} to --maxbytes {}: no multiple of {}, the bytes of a float, is in between",
        range.least_bytes, range.most_bytes, kFloatBytes);
  }
  std::vector<Reduction> all;
  for (int64_t bytes = least; bytes <= range.most_bytes; bytes *= range.factor) {
    all.push_back({.what = {}, .message_floats = {bytes / kFloatBytes}});
  }
  return all;
}

std::vector<Reduction> reductions_of_model(const RunConfig& run, int64_t bucket_bytes) {
  std::vector<Reduction> all;
  Reduction step{.what = "all", .message_floats = {}};
  for (const Bucket& bucket : buckets_of(run, bucket_bytes)) {
    all.push_back(
        {.what = fmt::format("bucket {}", all.size()), .message_floats = {bucket.floats}});
    step.message_floats.push_back(bucket.floats);
  }
  all.push_back(std::move(step));
  return all;
}

}  // namespace lockstep
