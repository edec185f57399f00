// Hosts with GPUs, which are the fake ones of support/fake_nvml: the doctor finds those that
// differ or are damaged, and the self-test names the host that computes wrongly.
#include <gmock/gmock.h>

#include "cluster/ssh_cluster.h"
#include "config/json.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTwoSound =
    "driver=570.00\ngpu=NVIDIA H100\nuuid=GPU-1\nbus=1\ngpu=NVIDIA H100\nuuid=GPU-2\nbus=2\n";

using GpuHosts = SshCluster;

TEST_F(GpuHosts, ThatAreEqualAndSoundPassTheDoctor) {
  give_gpus(1, kTwoSound);
  give_gpus(2, kTwoSound);
  const Ran ran = run_to_its_end(lockstep("doctor", {"--hosts=host1,host2", "--json"}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err << ran.out;
  const Json report = Json::parse(ran.out);
  for (const Json& host : report.at("hosts")) {
    ASSERT_EQ(host.at("facts").at("gpus").size(), 2u) << host;
    EXPECT_EQ(host.at("facts").at("gpus")[1].at("pci_address"), "0000:02:00.0");
  }
  int about_gpus = 0;
  for (const Json& finding : report.at("findings")) {
    if (!finding.at("check").get<std::string>().starts_with("GPU")) continue;
    ++about_gpus;
    EXPECT_EQ(finding.at("level"), "ok") << finding;
    EXPECT_EQ(finding.at("hosts").size(), 2u) << finding;
  }
  EXPECT_EQ(about_gpus, 5);
}

TEST_F(GpuHosts, ThatDifferOrAreDamagedAreNamedByTheDoctor) {
  give_gpus(1, kTwoSound);
  give_gpus(2,
            "driver=535.00\ngpu=NVIDIA H100\nuuid=GPU-3\nbus=1\nthrottle=0x40\n"
            "gpu=NVIDIA A100\nuuid=GPU-4\nbus=2\necc=5\npeer=0\n");
  const Ran ran = run_to_its_end(lockstep("doctor", {"--hosts=host1,host2"}));
  EXPECT_EQ(ran.exit_code(), 1) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("GPU 1 (0000:02:00.0): 5 uncorrected errors"),
                             HasSubstr("throttled: GPU 0 (0000:01:00.0): temperature (hardware)"),
                             HasSubstr("different GPUs in one host"),
                             HasSubstr("no peer access: GPU 0 (0000:01:00.0): not to GPU 1")));
  EXPECT_THAT(ran.out, HasSubstr("535.00"));
}

TEST_F(GpuHosts, WithTooFewGpusRefuseTheirWorkers) {
  give_gpus(1, kTwoSound);
  const Ran ran =
      run_to_its_end(lockstep("doctor", {"--hosts=host1", "--device=cuda", "--num-devices=3"}));
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.out, HasSubstr("2 GPUs for 3 workers"));
}

TEST_F(GpuHosts, WithoutGpusHaveNothingToSay) {
  const Ran ran = run_to_its_end(lockstep("doctor", {"--hosts=host1"}));
  EXPECT_THAT(ran.out, Not(HasSubstr("GPU")));
}

TEST_F(GpuHosts, TheHostThatComputesWronglyIsNamedByTheSelfTest) {
  const Ran sound = run_to_its_end(lockstep("selftest", {"--hosts=host1,host2", "--passes=1"}));
  ASSERT_EQ(sound.exit_code(), 0) << sound.err << sound.out;
  EXPECT_THAT(sound.out, AllOf(HasSubstr("host1"), HasSubstr("host2"),
                               HasSubstr("all-reduce hierarchical"), HasSubstr("all sums right")));
  const Ran ran = run_to_its_end(
      lockstep("selftest", {"--hosts=host1,host2", "--inject-fault=host2:0:BatchNormOf17"}));
  EXPECT_EQ(ran.exit_code(), 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("host2 core 0 BatchNormOf17"));
  EXPECT_THAT(ran.err, Not(HasSubstr("host1 core")));
}

}  // namespace
}  // namespace lockstep
