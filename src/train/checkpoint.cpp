#include "train/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "config/json.h"
#include "config/json_text.h"
#include "config/run_json.h"
#include "data/formats/crc32c.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little);  // floats are stored as they are

constexpr std::string_view kMagic = "lockstep";
constexpr uint32_t kVersion = 1;
// Where the parts of the head begin.
constexpr size_t kVersionAt = 8, kCrcAt = 12, kLengthAt = 16, kHeaderLengthAt = 24, kHeaderAt = 32;
constexpr size_t kAlignment = 64;
constexpr int64_t kMostFloats = int64_t{1} << 40;

ByteView view_of(const Memory& memory) {
  return {reinterpret_cast<const uint8_t*>(memory.data()), static_cast<size_t>(memory.bytes())};
}

// One list of the facts, for both ways.
void fields(auto& facts, auto&& visit) {
  visit("model", facts.model);
  visit("dataset", facts.dataset);
  visit("optimizer", facts.optimizer);
  visit("step", facts.step);
  visit("examples", facts.examples);
  visit("optimizer_steps", facts.optimizer_steps);
  visit("sum_of_squares", facts.sum_of_squares);
  visit("loss_scale", facts.loss_scale);
  visit("steps_of_loss_scale", facts.steps_of_loss_scale);
  visit("convolutions", facts.convolutions);
}

std::string header_text(const CheckpointFacts& facts, std::span<const CheckpointTensor> tensors) {
  Json json;
  fields(facts, [&](const char* name, const auto& value) { json[name] = value; });
  Json list = Json::array();
  for (const CheckpointTensor& tensor : tensors) list.push_back({tensor.name, tensor.extents});
  json["tensors"] = std::move(list);
  std::string text = json.dump();
  text.resize((kHeaderAt + text.size() + kAlignment - 1) / kAlignment * kAlignment - kHeaderAt,
              ' ');
  return text;
}

// Of extents that may be anything. Throws Error on those that no tensor has.
int64_t elements_of(const CheckpointTensor& tensor) {
  int64_t elements = 1;
  for (const int64_t extent : tensor.extents) {
    if (extent < 0 || (extent > 0 && elements > kMostFloats / extent)) {
      throw Error("tensor {} has invalid dimensions", tensor.name);
    }
    elements *= extent;
  }
  return elements;
}

template <typename Number>
void put(const Memory& memory, size_t at, Number number) {
  const auto bytes = as_little_endian(number);
  std::memcpy(memory.data() + at, bytes.data(), bytes.size());
}

}  // namespace

Checkpoint::Checkpoint(const CheckpointFacts& facts, std::vector<CheckpointTensor> tensors,
                       const Fill& fill)
    : facts_(facts), tensors_(std::move(tensors)) {
  // JSON has no such number. A run that diverged can be saved all the same.
  if (!std::isfinite(facts_.sum_of_squares)) facts_.sum_of_squares = -1;
  const std::string header = header_text(facts_, tensors_);
  const auto head = static_cast<int64_t>(kHeaderAt + header.size());
  int64_t floats = 0;
  for (const CheckpointTensor& tensor : tensors_) floats += elements_of(tensor);
  bytes_ = Memory(head + floats * static_cast<int64_t>(sizeof(float)));
  std::memcpy(bytes_.data(), kMagic.data(), kMagic.size());
  std::memcpy(bytes_.data() + kHeaderAt, header.data(), header.size());
  put(bytes_, kVersionAt, kVersion);
  put(bytes_, kLengthAt, static_cast<uint64_t>(bytes_.bytes()));
  put(bytes_, kHeaderLengthAt, static_cast<uint64_t>(header.size()));
  place_tensors(head / static_cast<int64_t>(sizeof(float)));
  for (size_t i = 0; i < tensors_.size(); ++i) fill(i, places_.at(tensors_[i].name));
  put(bytes_, kCrcAt, crc32c(view_of(bytes_).subspan(kLengthAt)));
}

Checkpoint::Checkpoint(Memory memory) : bytes_(std::move(memory)) {
  const ByteView bytes = view_of(bytes_);
  if (bytes.size() < kHeaderAt || text_of(bytes.first(kMagic.size())) != kMagic) {
    throw Error("not a checkpoint");
  }
  const auto version = little_endian<uint32_t>(bytes.subspan(kVersionAt));
  if (version != kVersion) {
    throw Error("format version {} is not supported; this program reads version {}", version,
                kVersion);
  }
  const auto length = little_endian<uint64_t>(bytes.subspan(kLengthAt));
  if (length != bytes.size()) throw Error("{} bytes instead of {}", bytes.size(), length);
  if (crc32c(bytes.subspan(kLengthAt)) != little_endian<uint32_t>(bytes.subspan(kCrcAt))) {
    throw Error("wrong checksum");
  }
  const auto header = little_endian<uint64_t>(bytes.subspan(kHeaderLengthAt));
  if (header > bytes.size() - kHeaderAt || (kHeaderAt + header) % kAlignment != 0) {
    throw Error("damaged header: invalid length");
  }
  try {
    const Json json = json_in(text_of(bytes.subspan(kHeaderAt, header)));
    // An older program knew fewer facts.
    fields(facts_, [&](const char* name, auto& value) {
      if (json.contains(name)) json.at(name).get_to(value);
    });
    for (const Json& tensor : json.at("tensors")) {
      tensors_.push_back({tensor.at(0), tensor.at(1).get<std::vector<int64_t>>()});
    }
  } catch (const Json::exception& error) {
    throw Error("damaged header: {}", error.what());
  }
  if (std::min({facts_.step, facts_.examples, facts_.optimizer_steps}) < 0) {
    throw Error("damaged header: a count is below 0");
  }
  place_tensors(static_cast<int64_t>((kHeaderAt + header) / sizeof(float)));
}

void Checkpoint::place_tensors(int64_t first_float) {
  const std::span<float> all = bytes_.floats();
  for (const CheckpointTensor& tensor : tensors_) {
    const int64_t elements = elements_of(tensor);
    if (elements > std::ssize(all) - first_float)
      throw Error("truncated in tensor {}", tensor.name);
    const auto place = all.subspan(static_cast<size_t>(first_float), static_cast<size_t>(elements));
    if (!places_.emplace(tensor.name, place).second)
      throw Error("tensor {} occurs twice", tensor.name);
    first_float += elements;
  }
  if (first_float * static_cast<int64_t>(sizeof(float)) != bytes_.bytes()) {
    throw Error("unexpected bytes after the last tensor");
  }
}

std::span<const float> Checkpoint::floats(const std::string& name, int64_t elements) const {
  const auto found = places_.find(name);
  if (found == places_.end()) throw Error("tensor {} is missing", name);
  if (std::ssize(found->second) != elements) {
    throw Error("tensor {} has {} elements instead of {}", name, found->second.size(), elements);
  }
  return found->second;
}

}  // namespace lockstep
