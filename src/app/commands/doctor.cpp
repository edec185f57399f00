// doctor.cpp: `lockstep doctor`: checks that hosts are ready for a run.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "app/options.h"
#include "app/program.h"
#include "base/error.h"
#include "doctor/host_checks.h"
#include "doctor/survey_routes.h"
#include "launch/deploy.h"

namespace lockstep {
namespace {

struct DoctorWishes {
  SurveyRequest survey;
  bool slurm = false, json = false;
};

CommandSyntax syntax_for(DoctorWishes& wishes) {
  const auto truth = [](bool& value) {
    return [&value](const std::string& text) { value = text == "true"; };
  };
  CommandSyntax syntax = {
      .command = "doctor",
      .summary = "Looks whether hosts are fit for a run, and says what to do about it.",
      .flags = {{.name = "slurm",
                 .value_name = "",
                 .help = "the nodes of this allocation, or of one that srun asks for",
                 .set = truth(wishes.slurm)},
                {.name = "json",
                 .value_name = "",
                 .help = "all findings and answers as JSON",
                 .set = truth(wishes.json)}}};
  constexpr std::string_view kTaken[] = {"hosts", "nodes", "num-devices", "remote-dir",
                                         "ssh-option"};
  for (Flag& flag : run_flags(wishes.survey.run)) {
    if (std::ranges::find(kTaken, flag.name) == std::end(kTaken)) continue;
    flag.group = "Options";
    if (flag.name == "num-devices") flag.help = "workers that each host shall have, or its slots";
    if (flag.name == "hosts") flag.help = "file or list, as of train; by default this machine";
    if (flag.name == "nodes") flag.help = "only the first so many hosts; of Slurm, so many nodes";
    syntax.flags.push_back(std::move(flag));
  }
  note_given(syntax.flags, "num-devices", wishes.survey.workers_given);
  return syntax;
}

Json everything(const Examined& all, std::span<const Row> rows) {
  Json hosts = Json::array(), links = Json::array();
  for (const HostReport& host : all.hosts) {
    hosts.push_back(
        {{"name", host.name},
         {"unreachable", host.unreachable},
         {"facts", host.facts},
         {"compute", host.compute},
         {"programs", host.programs},
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
  DoctorWishes wishes;
  const CommandSyntax syntax = syntax_for(wishes);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  if (wishes.slurm && !wishes.survey.run.hosts.empty()) {
    throw UsageError("--slurm chooses the hosts; it does not go with --hosts");
  }
  if (wishes.survey.run.nodes && !wishes.slurm && wishes.survey.run.hosts.empty()) {
    throw UsageError("--nodes is about hosts: give --hosts or --slurm");
  }
  const SurveyRoute& route = wishes.slurm                        ? kSlurmRoute
 : wishes.survey.run.hosts.empty() ? kLocalRoute : kSshRoute;
  const Examined all = route.survey(context, wishes.survey);
  const CheckContext checked = {.all = all,
                                .version = program_version(),
                                .program = directory_name(context.program),
                                .reach_advice = route.reach_advice};
  std::vector<Row> rows = rows_for(checked, /*thorough=*/true);
  for (Row& row : link_rows(all)) rows.push_back(std::move(row));
  context.out << (wishes.json ? everything(all, rows).dump(1) + "\n" : table_of(rows));
  return worst_of(rows) == Level::Problem ? kFailure : kSuccess;
} catch (const Interrupted&) {
  context.err << "lockstep: interrupted; nothing is left on the hosts\n";
  return kInterrupted;
}

}  // namespace lockstep
