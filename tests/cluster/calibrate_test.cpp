// 'lockstep calibrate' on hosts whose links are slow on purpose.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cluster/ssh_cluster.h"
#include "report/results/run_result.h"
#include "sim/cluster/cluster_file.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A link is so slow that steps wait for it, whatever else the machine does.
class SlowLinks : public SshCluster {
 protected:
  SlowLinks() : SshCluster("100mbit") {}

  Ran calibrate(const std::string& file) const {
    return run_to_its_end(
        lockstep("calibrate", {"--hosts=host1,host2", "--model=lenet", "--batch-size=4",
                               "--num-batches=5", "--threads=1", "--output=" + path(file)}));
  }

  // Images per second of a network that was not calibrated with.
  double measured(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        "--model=cifar10_alexnet", "--batch-size=4", "--num-batches=8",
        "--num-warmup-batches=2",  "--threads=1",    "--result=" + path(name)};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run_to_its_end(lockstep("train", words));
    EXPECT_EQ(ran.exit_code(), 0) << ran.err;
    return read_result(path(name)).throughput.total_images_per_second;
  }

  double predicted(const std::string& cluster, const std::string& strategy) const {
    const Ran ran = run_to_its_end({lockstep_program(), "simulate", "--cluster=" + path(cluster),
                                    "--profile=" + path("one.json"), "--devices=2",
                                    "--variable-update=" + strategy, "--json"});
    EXPECT_EQ(ran.exit_code(), 0) << ran.err;
    return nlohmann::json::parse(ran.out)["points"][0]["images_per_second"];
  }
};

TEST_F(SlowLinks, AreFoundByCalibrateAndLimitStepsAsPredicted) {
  const Ran ran = calibrate("hosts.toml");
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("residuals"));
  std::ifstream in(path("hosts.toml"));
  std::stringstream text;
  text << in.rdbuf();
  const ReadCluster read = read_cluster(text.str(), "hosts.toml");
  ASSERT_THAT(read.problems, IsEmpty());
  EXPECT_EQ(read.cluster.calibrated_devices, 2);
  EXPECT_LT(read.cluster.network.line_gbit, 0.11) << "no faster than the link";
  EXPECT_GT(read.cluster.network.line_gbit, 0.03);

  measured("one.json", {"--hosts=host1", "--num-devices=1"});
  for (const std::string strategy : {"replicated", "parameter_server"}) {
    const double rate =
        measured(strategy + ".json", {"--hosts=host1,host2", "--variable-update=" + strategy});
    const double ratio = predicted("hosts.toml", strategy) / rate;
    RecordProperty(strategy, std::to_string(ratio));
    EXPECT_NEAR(ratio, 1, 0.25) << strategy;
  }
  expect_nothing_left();
}

}  // namespace
}  // namespace lockstep
