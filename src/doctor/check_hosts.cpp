#include "doctor/check_hosts.h"

#include <fmt/ranges.h>

#include <ostream>

#include "base/error.h"
#include "comm/mpi.h"
#include "doctor/host_checks.h"
#include "doctor/survey_routes.h"
#include "launch/deploy.h"

namespace lockstep {

namespace {

void check_hosts(Context& context, const LaunchPlan& plan, const LaunchJob& job,
                 const SurveyOptions& options) {
  ProbeRoute route;
  for (size_t host = 0; host < plan.hosts.size(); ++host) {
    route.names.push_back(plan.hosts[host].name);
    route.commands.push_back(plan.commands[host]);
  }
  HostSurvey all = survey_hosts(route, options, job.token);
  for (size_t host = 0; host < plan.hosts.size(); ++host) {
    all.hosts[host].workers = static_cast<int>(plan.agents[host].ranks.size());
  }
  const CheckContext checked = {.all = all,
                                .version = job.version,
                                .program = directory_name(job.program),
                                .mpi = mpi_library_version(),
                                .reach_advice = kSshRoute.reach_advice,
                                .wants_gpus = options.wants_gpus};
  std::vector<CheckRow> rows = rows_for(checked, /*thorough=*/false);
  std::erase_if(rows, [](const CheckRow& row) { return row.finding.level == Level::Ok; });
  std::vector<std::string> problems;
  for (const CheckRow& row : rows) {
    const std::string line = fmt::format("host {}: {}: {} ({})", fmt::join(row.hosts, ", "),
                                         row.check, row.finding.what, row.finding.advice);
    if (row.finding.level == Level::Problem) {
      problems.push_back(line);
    } else {
      context.err << "warning: " << line << "\n";
    }
  }
  if (!problems.empty()) throw Error("{}", fmt::join(problems, "\n"));
}

}  // namespace

HostCheck host_check(const RunConfig& run) {
  return [frameworks = question_of(run), wants_gpus = run.device != "cpu"](
             Context& context, const LaunchPlan& plan, const LaunchJob& job,
             const std::function<bool()>& interrupted) {
    check_hosts(context, plan, job,
                {.directory = ".",  // an agent starts in the remote directory
                 .frameworks = frameworks,
                 .wants_gpus = wants_gpus,
                 .thorough = false,
                 .interrupted = interrupted});
  };
}

}  // namespace lockstep
