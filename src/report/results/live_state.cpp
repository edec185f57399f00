#include "report/results/live_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/host_name.h"
#include "base/regular_file.h"
#include "config/json.h"
#include "config/json_text.h"
#include "report/results/json_fields.h"

namespace lockstep {

void fields(Like<LiveState> auto& state, auto&& visit) {
  visit("label", state.label);
  visit("done", state.done);
  visit("all", state.all);
  visit("seconds_left", state.seconds_left);
  visit("images_per_second", state.images_per_second);
  visit("host", state.host);
  visit("process", state.process);
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "progress.json";
constexpr int64_t kMostBytes = 1 << 20;
constexpr Seconds kOften{1};
constexpr std::chrono::minutes kSilence{10};  // of a sweep on another host: it may be gone

// Absent: there is no such file, or it is none of ours.
std::optional<std::string> text_in(const fs::path& path) {
  std::error_code unknown;
  if (!fs::exists(path, unknown)) return {};
  try {
    return read_regular_file(path.string(), {.most_bytes = kMostBytes, .links = false});
  } catch (const Error&) {
    return {};
  }
}

bool is_running(const LiveState& state, const fs::path& file) {
  if (state.process <= 0) return false;
  if (state.host == host_name()) return kill(state.process, 0) == 0 || errno == EPERM;
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - written < kSilence;
}

// A new file: a link of this name is not followed. False: it could not be written.
bool write_new_file(const std::string& path, const std::string& text) {
  unlink(path.c_str());
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  return file.is_open() && write(file.number(), text.data(), text.size()) == std::ssize(text);
}

}  // namespace

std::optional<LiveState> live_state_in(std::string_view text) {
  Json json = printable_json_in(text);
  if (!json.is_object()) return {};
  LiveState state;
  try {
    JsonForm<LiveState>::read(json, state);
  } catch (const Json::exception&) {  // not one of ours
    return {};
  }
  return state;
}

std::optional<LiveState> read_live_state(const std::string& directory) {
  const fs::path path = fs::path(directory) / kFile;
  const std::optional<std::string> text = text_in(path);
  const std::optional<LiveState> state = text ? live_state_in(*text) : std::nullopt;
  return state && is_running(*state, path) ? state : std::nullopt;
}

LiveFile::LiveFile(const std::string& directory)
    : path_((fs::path(directory) / kFile).string()), host_(host_name()) {}

LiveFile::~LiveFile() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void LiveFile::tell(LiveState state) {
  last_ = Clock::now();
  state.host = host_;
  state.process = getpid();
  const std::string part = path_ + ".part";
  if (!write_new_file(part, json_text(JsonForm<LiveState>::write(state)) + "\n")) return;
  std::error_code ignored;
  fs::rename(part, path_, ignored);
}

void LiveFile::tell_soon(LiveState state) {
  if (Clock::now() - last_ >= kOften) tell(std::move(state));
}

}  // namespace lockstep
