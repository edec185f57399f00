// agent_protocol.h: the line protocol between the launcher and the agent on a host, over the stdin
// and stdout of ssh.
//
//   launcher to agent: the job, as JSON; "store HOST:PORT" when all may begin; "stop"; "alive"
//                      every few seconds. End of input or 60 s of silence: it is gone.
//   agent to launcher: "store PORT" by the one that keeps the store; "out RANK TEXT" and
//                      "err RANK TEXT"; "last - TEXT" for the last lines of the rank that failed,
//                      "failed CODE TEXT" for why, CODE being "-" when a signal ended it;
//                      "file PATH BASE64" for a piece of a file, an empty one at its end; "alive"
//                      every few seconds; "end" last of all. 30 s of silence: it hangs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "config/json_fwd.h"

namespace lockstep {

struct AgentJob {
  std::vector<int> ranks;              // to run on this host
  int size = 1;                        // of the whole run
  std::string command;                 // "train"
  std::vector<std::string> arguments;  // of every rank
  std::string version;                 // of the launcher; another version may have other options
  std::map<std::string, std::string> environment = {};  // of every rank, besides its rank's own
  std::string token;
  bool keeps_store = false;
  int store_port = 0;     // 0: any free one
  std::string directory;  // for the files of this run; created, and removed at the end
};

inline constexpr const char* kAlive = "alive";
inline constexpr Seconds kBetweenSignsOfLife{5};
inline constexpr const char* kEnd = "end";
inline constexpr const char* kProbe = "probe";  // in place of a job: questions follow

Json job_to_json(const AgentJob& job);
AgentJob job_from_json(const Json& json);
std::string text_of(const AgentJob& job);  // one line; throws UsageError unless it is UTF-8
AgentJob job_in(const std::string& line);  // throws Error

struct AgentLine {
  std::string kind;  // "out"
  std::string name;  // rank, port, path or code
  std::string text;  // the rest
};
AgentLine parse_agent_line(const std::string& line);

std::string base64(std::string_view bytes);
std::string from_base64(std::string_view text);  // throws Error

}  // namespace lockstep
