// peer_targets.cpp: readers of what the other processes of a run say: hosts that are surveyed,
// ranks, and whoever started this process.
#include "base/error.h"
#include "base/text.h"
#include "comm/mpi_interfaces.h"
#include "config/json.h"
#include "config/json_text.h"
#include "doctor/host_checks.h"
#include "fuzz/targets.h"
#include "run/gather_run.h"
#include "run/rank/rank_device.h"
#include "run/rank/rank_identity.h"
#include "selftest/self_test.h"

namespace lockstep {
namespace {

std::string text_in(ByteView bytes) { return std::string(text_of(bytes)); }

// The answers of one host to all questions, as members of an object: what a survey makes of them.
void read_survey(ByteView bytes) {
  const Json answers = printable_json_in(text_of(bytes));
  if (!answers.is_object()) return;
  const auto answer = [&](const char* question) { return answers.value(question, Json()); };
  const HostReport host = {.name = "a",
                           .facts = answer("facts"),
                           .compute = answer("compute"),
                           .programs = answer("programs"),
                           .frameworks = answer("frameworks"),
                           .nccl = answer("nccl")};
  const HostSurvey all = {.hosts = {host, host}, .links = {{0, 1, answer("pair")}}};
  table_of(rows_for({.all = all, .version = "1", .program = "p", .wants_gpus = true}, true));
  table_of(link_rows(all));
}

void read_peer_texts(ByteView bytes) {
  for (const auto& read : {+[](const std::string& text) { view_from_text(text, 1); },
                           +[](const std::string& text) { worker_report_in(text, 1); }}) {
    try {
      read(text_in(bytes));
    } catch (const Error&) {  // refused: what follows is another reading of the same bytes
    }
  }
}

void read_self_test(ByteView bytes) {
  const SelfTestReport report = self_test_report_in(text_of(bytes));
  rows_text(report.rows);
  failure_text(report.rows);
  json_text(report_json(report, {}));
}

// Lines NAME=VALUE. Slurm's are left out: its nodes are looked up.
void read_environment(ByteView bytes) {
  std::map<std::string, std::string> variables;
  for (const std::string& line : split(text_of(bytes), '\n')) {
    const size_t equals = std::min(line.find('='), line.size());
    if (line.starts_with("SLURM_") || equals == line.size()) continue;
    variables[line.substr(0, equals)] = line.substr(equals + 1);
  }
  const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  visible_gpus(nullptr, environment);
  RunConfig run;
  run.gpu_indices = variables["gpu_indices"];
  run.worker_hosts = variables["worker_hosts"];
  run.job_name = variables["job_name"];
  addresses_in_uri(variables["uri"]);
  const RankIdentity identity = find_identity(run, environment);
  waiting_line(identity, {});
  gpu_indices(run);
}

constexpr FuzzTarget kTargets[] = {
    {"survey", read_survey},
    {"peer", read_peer_texts},
    {"self_test", read_self_test},
    {"environment", read_environment},
};

}  // namespace

std::span<const FuzzTarget> peer_targets() { return kTargets; }

}  // namespace lockstep
