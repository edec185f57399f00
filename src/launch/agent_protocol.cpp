#include "launch/agent_protocol.h"

#include <array>

#include "base/error.h"
#include "config/json.h"
#include "config/json_text.h"

namespace lockstep {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

Json job_to_json(const AgentJob& job) {
  return {{"ranks", job.ranks},           {"size", job.size},
          {"command", job.command},       {"version", job.version},
          {"arguments", job.arguments},   {"environment", job.environment},
          {"token", job.token},           {"keeps_store", job.keeps_store},
          {"store_port", job.store_port}, {"directory", job.directory}};
}

AgentJob job_from_json(const Json& json) {
  return {.ranks = json.at("ranks"),
          .size = json.at("size"),
          .command = json.at("command"),
          .arguments = json.at("arguments"),
          .version = json.value("version", std::string("unknown")),
          .environment = json.value("environment", std::map<std::string, std::string>{}),
          .token = json.at("token"),
          .keeps_store = json.at("keeps_store"),
          .store_port = json.at("store_port"),
          .directory = json.at("directory")};
}

std::string text_of(const AgentJob& job) {
  try {
    return job_to_json(job).dump();
  } catch (const Json::exception&) {
    throw UsageError("an argument is not UTF-8 text; runs by ssh need arguments in UTF-8");
  }
}

AgentJob job_in(const std::string& line) {
  try {
    return job_from_json(json_in(line));
  } catch (const Json::exception&) {
    throw Error("the launcher sent no job that this version understands");
  }
}

AgentLine parse_agent_line(const std::string& line) {
  const size_t first = line.find(' ');
  if (first == std::string::npos) return {line, "", ""};
  const size_t second = std::min(line.find(' ', first + 1), line.size());
  return {.kind = line.substr(0, first),
          .name = line.substr(first + 1, second - first - 1),
          .text = second < line.size() ? line.substr(second + 1) : ""};
}

std::string base64(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  uint32_t group = 0;
  int bits = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    const size_t digit = kDigits.find(letter);
    if (digit == std::string_view::npos) throw Error("invalid base64");
    group = group << 6 | static_cast<uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xFF);
  }
  return bytes;
}

}  // namespace lockstep
