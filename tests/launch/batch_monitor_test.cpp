// What is shown of the output of a job that was submitted.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "launch/run_monitor.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

TEST(BatchMonitor, OutputOfAJobIsShownInWholeLinesWithoutControlCharacters) {
  const TemporaryDirectory directory;
  std::ostringstream out, err;
  Context context = {.out = out, .err = err};
  LaunchPlan plan;
  plan.batch_output = directory.path("job");
  const auto monitor = monitor_batch(context, plan);
  const std::string running = "7 RUNNING None";
  monitor->hear({.command = 0, .time = {}, .text = running, .whole = true});
  std::ofstream log(directory.path("job-7.log"));
  log << "one\n\x1b]0;title\x07two\nth" << std::flush;
  monitor->poll();
  EXPECT_EQ(out.str(), "one\n?]0;title?two\n");
  log << "ree\nfour" << std::flush;
  monitor->poll();
  EXPECT_EQ(out.str(), "one\n?]0;title?two\nthree\n");
  const std::string end = "7 END COMPLETED 0:0";
  monitor->hear({.command = 0, .time = {}, .text = end, .whole = true});
  EXPECT_EQ(monitor->exit_code(PlanOutcome()), kSuccess);
  EXPECT_EQ(out.str(), "one\n?]0;title?two\nthree\nfour\n");
}

}  // namespace
}  // namespace lockstep
