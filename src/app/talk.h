// talk.h: how the launcher talks with what it has started, until the run is over. There is one kind
// for processes of its own or of mpirun and srun, one for agents by ssh, one for a batch job.
#pragma once

#include <memory>

#include "app/program.h"
#include "config/run_config.h"
#include "launch/launch_plan.h"
#include "launch/run_commands.h"

namespace lockstep {

class Talk {
 public:
  virtual ~Talk() = default;

  virtual Next hear(const OutputLine& line) = 0;
  virtual std::vector<Letter> letters() = 0;  // as RunWatch's
  virtual Next poll() = 0;
  // Says what is left to say.
  virtual int exit_code(const PlanOutcome& outcome) = 0;
};

// Both are borrowed, and outlive the talk.
std::unique_ptr<Talk> talk_with_processes(Surroundings& around, const LaunchPlan& plan,
                                          const RunConfig& run);
std::unique_ptr<Talk> talk_with_agents(Surroundings& around, const LaunchPlan& plan,
                                       const RunConfig& run);
std::unique_ptr<Talk> talk_with_batch(Surroundings& around, const LaunchPlan& plan);

}  // namespace lockstep
