// doctor.cpp: `lockstep doctor`: checks that hosts are ready for a run.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "app/command_line.h"
#include "app/flags.h"
#include "app/program.h"
#include "app/python_names.h"
#include "app/taken_flags.h"
#include "base/error.h"
#include "comm/mpi.h"
#include "config/json.h"
#include "config/json_text.h"
#include "doctor/host_checks.h"
#include "doctor/survey_routes.h"
#include "launch/deploy.h"

namespace lockstep {
namespace {

struct DoctorOptions {
  SurveyRequest survey;
  bool slurm = false, json = false;
};

CommandSyntax syntax_for(DoctorOptions& options) {
  CommandSyntax syntax = {
      .command = "doctor",
      .summary = "Checks that hosts are ready for a run, and prints what to fix.",
      .flags = {
          switch_flag("slurm", "check the nodes of this allocation, or of one that srun requests",
                      &options.slurm),
          switch_flag("json", "print all findings and measurements as JSON", &options.json)}};
  constexpr TakenFlag kTaken[] = {
      {"hosts", "file or list of hosts, as for train [this machine]"},
      {"nodes", "check the first N hosts; with --slurm, N nodes"},
      {"num-devices", "workers per host, or its slots"},
      {"remote-dir"},
      {"ssh-option"},
      {"framework", "check that this framework is installed"},
      {"python"},
      {"device", "with gpu or cuda, check that every worker has a GPU, and measure NCCL"}};
  std::ranges::move(taken_flags(options.survey.run, kTaken), std::back_inserter(syntax.flags));
  note_given(syntax.flags, "num-devices", options.survey.workers_given);
  return syntax;
}

Json everything(const HostSurvey& all, std::span<const CheckRow> rows) {
  Json hosts = Json::array(), links = Json::array();
  for (const HostReport& host : all.hosts) {
    hosts.push_back(
        {{"name", host.name},
         {"unreachable", host.unreachable},
         {"facts", host.facts},
         {"compute", host.compute},
         {"programs", host.programs},
         {"frameworks", host.frameworks},
         {"nccl", host.nccl},
         {"clock_offset_seconds", host.clock_offset ? Json(*host.clock_offset) : Json()}});
  }
  for (const LinkReport& link : all.links) {
    links.push_back({{"from", all.hosts[link.from].name},
                     {"to", all.hosts[link.to].name},
                     {"answer", link.answer}});
  }
  return {{"schema_version", 1},
          {"kind", "doctor"},
          {"verdict", name_of(worst_of(rows))},
          {"findings", rows_to_json(rows)},
          {"hosts", hosts},
          {"links", links}};
}

}  // namespace

int doctor_command(RunContext& context, std::span<const std::string> arguments) try {
  DoctorOptions options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  if (options.slurm && !options.survey.run.hosts.empty()) {
    throw UsageError("--slurm and --hosts exclude each other; give one of them");
  }
  if (options.survey.run.nodes && !options.slurm && options.survey.run.hosts.empty()) {
    throw UsageError("--nodes requires --hosts or --slurm");
  }
  const SurveyRoute& route = options.slurm                      ? kSlurmRoute
                             : options.survey.run.hosts.empty() ? kLocalRoute
                                                                : kSshRoute;
  check_python_names(options.survey.run.python);
  options.survey.frameworks = question_of(options.survey.run);
  const HostSurvey all = route.survey(context, options.survey);
  const CheckContext checked = {.all = all,
                                .version = program_version(),
                                .program = directory_name(context.program),
                                .mpi = mpi_library_version(),
                                .reach_advice = route.reach_advice,
                                .wants_gpus = options.survey.run.device != "cpu"};
  std::vector<CheckRow> rows = rows_for(checked, /*thorough=*/true);
  for (CheckRow& row : link_rows(all)) rows.push_back(std::move(row));
  context.out << (options.json ? json_text(everything(all, rows), 1) + "\n" : table_of(rows));
  return worst_of(rows) == Level::Problem ? kFailure : kSuccess;
} catch (const Interrupted&) {
  context.err << "lockstep: interrupted; nothing is left on the hosts\n";
  return kInterrupted;
}

}  // namespace lockstep
