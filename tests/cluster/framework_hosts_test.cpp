// `train --framework` on several hosts: launchers carry real frameworks like our own workers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "cluster/ssh_cluster.h"
#include "framework/frameworks.h"
#include "report/results/run_result.h"
#include "support/paths.h"

namespace lockstep {

void PrintTo(const Framework& framework, std::ostream* out) { *out << framework.name; }

namespace {

using ::testing::HasSubstr;

class FrameworkHosts : public SshCluster, public ::testing::WithParamInterface<Framework> {
 protected:
  static std::string name() { return std::string(GetParam().name); }
  static std::string python() { return framework_python(name()); }
  static std::string framework() {
    return fmt::format("--framework={}:{}", name(), GetParam().modes[0]);
  }
  void SetUp() override {
    if (!std::filesystem::exists(python())) {
      GTEST_SKIP() << "no " << GetParam().title << "; './run frameworks " << name()
                   << "' installs it";
    }
    SshCluster::SetUp();
  }
};

TEST_P(FrameworkHosts, TrainTogetherByWayOfSsh) {
  const Ran ran = launch({"--hosts=host1,host2", framework(), "--python=" + python(), "--threads=1",
                          "--result", path("r.json")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult result = read_result(path("r.json"));
  ASSERT_EQ(result.ranks.size(), 2u);
  EXPECT_NE(result.ranks[0].host, result.ranks[1].host);
  EXPECT_FALSE(result.facts.communicator.empty());
  expect_nothing_left();
}

TEST_P(FrameworkHosts, AreSurveyedBeforeARun) {
  const Ran ran = launch({"--hosts=host1,host2", framework(), "--python=/bin/false"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("host host1, host2: framework: " + name()));
  const Ran listed = run_to_its_end(
      lockstep("frameworks", {"--hosts=host1,host2", "--python", name() + "=" + python()}));
  EXPECT_EQ(listed.exit_code(), 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("host1"));
  EXPECT_THAT(listed.out, HasSubstr(python()));
}

// The script lies in the directory of the launch, which is not that of the workers.
using ScriptHosts = SshCluster;

TEST_F(ScriptHosts, GetTheScriptWithTheRun) {
  std::ofstream(path("mine.py")) << R"py(import sys, time
from lockstep_job import Job, report
job = Job(sys.argv[1])
report("hello", framework="mine", version="1")
for step in range(job.steps):
    begin = time.monotonic()
    report("step", step=step + 1, begin=begin, end=begin + 0.001)
report("done")
)py";
  const Ran ran = launch({"--hosts=host1,host2", "--framework=mine.py", "--python=python3",
                          "--threads=1", "--result", path("r.json")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_EQ(read_result(path("r.json")).framework->name, "mine");
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Frameworks, FrameworkHosts, ::testing::ValuesIn(frameworks()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace lockstep
