// survey_routes.h: the three routes to the hosts of a survey: local, ssh, Slurm.
#pragma once

#include "base/context.h"
#include "config/run_config.h"
#include "doctor/host_survey.h"

namespace lockstep {

struct SurveyRequest {
  RunConfig run;               // hosts and ssh options
  bool workers_given = false;  // --num-devices was given; otherwise a host's slots are used
  bool thorough = true;        // measures hosts and links
  FrameworkQuestion frameworks = {};
};

struct SurveyRoute {
  HostSurvey (*survey)(const Context& context, const SurveyRequest& request);
  const char* reach_advice;  // for an unreachable host
};

extern const SurveyRoute kLocalRoute, kSshRoute, kSlurmRoute;

}  // namespace lockstep
