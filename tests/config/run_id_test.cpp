#include "config/run_id.h"

#include <gmock/gmock.h>

#include "config/json.h"
#include "config/run_json.h"
#include "config/run_label.h"
#include "config/run_options.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

// Everything else can change what is measured. Whoever adds an option decides it here too.
TEST(RunId, OnlyTheseOptionsDoNotChangeIt) {
  std::vector<std::string> names;
  for (const RunOption& option : run_options()) {
    if (!is_identity(option)) names.push_back(option.name);
  }
  EXPECT_THAT(
      names, ElementsAre("network-file", "freeze-when-forward-only", "eval-dir", "stall-timeout",
                         "job-name", "task-index", "remote-dir", "ssh-option", "dry-run",
                         "program-timeout", "framework-mode", "python", "display-every",
                         "display-perf-ewma", "loss-type-to-report", "output-format", "result",
                         "log-dir", "profile-file", "graph-file", "trace-file", "benchmark-log-dir",
                         "benchmark-test-id", "summary-dir", "summary-verbosity",
                         "save-summaries-steps", "verbose"));
}

TEST(RunId, HowHostsAreReachedDoesNotChangeIt) {
  RunConfig run;
  run.hosts = "a:2,b:2";
  const std::string id = run_id(run);
  run.ssh_option = {"Port=2222"};
  run.remote_dir = "scratch/lockstep";
  run.stall_timeout = 7;
  run.verbose = true;
  EXPECT_EQ(run_id(run), id);
  run.hosts = "a:2,c:2";
  EXPECT_NE(run_id(run), id);
}

TEST(RunId, OptionsOutsideTheIdAreNotInLabels) {
  RunConfig one, other;
  other.ssh_option = {"Port=2222"};
  other.threads = 1;
  const RunConfig both[] = {one, other};
  EXPECT_THAT(differing_options(both), ElementsAre("threads"));
}

// Directories of results outlive versions of the program.
TEST(RunId, IsTheSameForever) {
  RunConfig run;
  run.model = "alexnet";
  run.batch_size = 256;
  EXPECT_EQ(canonical_text(run), "batch-size=256\nmodel=alexnet\n");
  EXPECT_EQ(hash_text("a"), "af63dc4c8601ec8c");  // of the published test vectors of FNV-1a
}

TEST(RunId, SurvivesARoundTripThroughTheResult) {
  RunConfig run;
  run.overlap = false;
  run.bucket_mb = 0.1;
  run.num_ps = 3;
  run.weight_decay = 1e-5;
  EXPECT_EQ(run_id(run_from_json(run_to_json(run))), run_id(run));
}

}  // namespace
}  // namespace lockstep
