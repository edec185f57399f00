// survey_routes.h: the three ways to reach the hosts of a survey: this machine, ssh, Slurm.
#pragma once

#include "base/context.h"
#include "config/run_config.h"
#include "doctor/host_survey.h"

namespace lockstep {

struct SurveyRequest {
  RunConfig run;               // hosts, and how they are reached
  bool workers_given = false;  // --num-devices was given; else a host's slots count
};

struct SurveyRoute {
  HostSurvey (*survey)(const Context& context, const SurveyRequest& request);
  const char* reach_advice;  // what to try when a host is not reached
};

extern const SurveyRoute kLocalRoute, kSshRoute, kSlurmRoute;

}  // namespace lockstep
