#include "train/event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "base/host_name.h"
#include "data/formats/protobuf.h"

namespace lockstep {
namespace {

// Field numbers of Event, SessionLog, Summary and Summary.Value.
constexpr uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
constexpr uint32_t kStatus = 1;
constexpr uint32_t kValue = 1;
constexpr uint32_t kTag = 1, kSimpleValue = 2;
constexpr uint64_t kStart = 1;  // a status
constexpr std::string_view kVersion = "brain.Event:2";

double now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

ByteBuffer event_head(double seconds, int64_t step) {
  ByteBuffer event;
  append_fixed64_field(event, kWallTime, std::bit_cast<uint64_t>(seconds));
  append_varint_field(event, kStep, static_cast<uint64_t>(step));
  return event;
}

std::string path_in(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw UsageError("cannot create --summary-dir {}: {}", directory, error.message());
  const std::string name =
      fmt::format("events.out.tfevents.{:.0f}.{}.{}", now(), host_name(), getpid());
  return (std::filesystem::path(directory) / name).string();
}

}  // namespace

ByteBuffer event_of(double seconds, int64_t step, std::span<const Scalar> scalars) {
  ByteBuffer summary;
  for (const Scalar& scalar : scalars) {
    ByteBuffer value;
    append_bytes_field(value, kTag, bytes_of(scalar.name));
    append_fixed32_field(value, kSimpleValue,
                         std::bit_cast<uint32_t>(static_cast<float>(scalar.value)));
    append_bytes_field(summary, kValue, value);
  }
  ByteBuffer event = event_head(seconds, step);
  append_bytes_field(event, kSummary, summary);
  return event;
}

EventFile::EventFile(const std::string& directory) : writer_(path_in(directory)) {
  ByteBuffer first = event_head(now(), 0);
  append_bytes_field(first, kFileVersion, bytes_of(kVersion));
  writer_.write(first);
  writer_.flush();
}

void EventFile::go_on_at(int64_t step) {
  ByteBuffer log, event = event_head(now(), step);
  append_varint_field(log, kStatus, kStart);
  append_bytes_field(event, kSessionLog, log);
  writer_.write(event);
  writer_.flush();
}

void EventFile::add(int64_t step, const std::vector<Scalar>& scalars) {
  writer_.write(event_of(now(), step, scalars));
  writer_.flush();
}

}  // namespace lockstep
