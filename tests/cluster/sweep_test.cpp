// Sweeps that find their hosts themselves.
#include <gmock/gmock.h>

#include <fstream>

#include "cluster/slurm_cluster.h"
#include "cluster/ssh_cluster.h"
#include "report/results/results_store.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// Of every launch that succeeded.
std::vector<std::string> launches_in(const std::string& directory) {
  std::vector<std::string> found;
  for (const StoredRun& run : read_store(directory).runs) {
    if (!run.measured()) continue;
    found.push_back(run.result.config.model + " x" + std::to_string(run.result.facts.devices));
  }
  return found;
}

using SshSweeps = SshCluster;
using SlurmSweeps = SlurmCluster;

TEST_F(SshSweeps, RunOnTheHostsOfAnAwsCluster) {
  std::ofstream(path("workers")) << "host1\nhost2\n";
  std::vector<std::string> words = {"env", "DEEPLEARNING_WORKERS_PATH=" + path("workers")};
  for (const std::string& word :
       lockstep("sweep", {"--models=lenet:2", "--num-batches=2", "--num-warmup-batches=1",
                          "--repeats=1", "--threads=1", "--output=" + path("out")})) {
    words.push_back(word);
  }
  const Ran ran = run_to_its_end(words);
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: 2 hosts of $DEEPLEARNING_WORKERS_PATH"));
  EXPECT_THAT(launches_in(path("out")), UnorderedElementsAre("lenet x1", "lenet x2"));
  EXPECT_THAT(ran.out, HasSubstr("/report.html"));
  expect_nothing_left();
}

TEST_F(SlurmSweeps, RunOnTheNodesOfTheAllocation) {
  const Ran ran = run_on_host({"salloc", "--quiet", "--nodes=2", lockstep_program(), "sweep",
                               "--variable-update=replicated", "--batch-size=1", "--num-batches=1",
                               "--num-warmup-batches=0", "--repeats=1", "--threads=1",
                               "--output=" + path("out")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: 2 nodes of Slurm job "));
  EXPECT_THAT(launches_in(path("out")),
              UnorderedElementsAre("alexnet x1", "alexnet x2", "inception3 x1", "inception3 x2"));
  expect_no_job_left();
}

}  // namespace
}  // namespace lockstep
