// Measures how far predicted step times are from measured ones, on hosts with slow links: calibrate
// once for each link, then train networks that it was not calibrated with. Not part of the tests,
// since it measures time: run it on an idle machine. docs/simulating.md shows its output.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/ssh_cluster.h"
#include "report/results/run_result.h"
#include "support/paths.h"

namespace lockstep {
namespace {

struct Network {
  const char* model;
  int batch_size;
};
constexpr Network kNetworks[] = {{"cifar10_alexnet", 64}, {"googlenet", 4}};
constexpr const char* kStrategies[] = {"replicated", "parameter_server"};

class PredictedSteps : public SshCluster, public ::testing::WithParamInterface<std::string> {
 protected:
  PredictedSteps() : SshCluster(GetParam()) {}

  void calibrate() const {
    const Ran ran = run_to_its_end(lockstep(
        "calibrate", {"--hosts=host1,host2", "--threads=1", "--output=" + path("hosts.toml")}));
    ASSERT_EQ(ran.exit_code(), 0) << ran.err;
    fmt::print(stderr, "{}{}", ran.out, ran.err);
  }

  // Seconds of a step.
  double measured(const Network& network, const std::string& name,
                  const std::vector<std::string>& more) const {
    std::vector<std::string> words = {fmt::format("--model={}", network.model),
                                      fmt::format("--batch-size={}", network.batch_size),
                                      "--num-batches=20",
                                      "--num-warmup-batches=3",
                                      "--threads=1",
                                      "--result=" + path(name)};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run_to_its_end(lockstep("train", words));
    EXPECT_EQ(ran.exit_code(), 0) << ran.err;
    return read_result(path(name)).summary.mean_step;
  }

  nlohmann::json predicted(const std::string& strategy) const {
    const Ran ran =
        run_to_its_end({lockstep_program(), "simulate", "--cluster=" + path("hosts.toml"),
                        "--profile=" + path("one.json"), "--devices=2",
                        "--variable-update=" + strategy, "--json"});
    EXPECT_EQ(ran.exit_code(), 0) << ran.err;
    return nlohmann::json::parse(ran.out)["points"][0];
  }
};

TEST_P(PredictedSteps, AreWithinTenPercent) {
  calibrate();
  for (const Network& network : kNetworks) {
    const double one = measured(network, "one.json", {"--hosts=host1", "--num-devices=1"});
    for (const std::string strategy : kStrategies) {
      const double step = measured(network, strategy + ".json",
                                   {"--hosts=host1,host2", "--variable-update=" + strategy});
      const nlohmann::json point = predicted(strategy);
      const double error = point["step_seconds"].get<double>() / step - 1;
      fmt::print("| {} | {}:{} | {} | {:.1f} | {:.1f} | {:.1f} | {:+.1f} |\n", GetParam(),
                 network.model, network.batch_size, strategy, 1000 * one, 1000 * step,
                 1000 * point["step_seconds"].get<double>(), 100 * error);
      fmt::print(stderr, "{}\n", point.dump());
      EXPECT_NEAR(error, 0, 0.1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Links, PredictedSteps, ::testing::Values("1gbit", "200mbit"));

}  // namespace
}  // namespace lockstep
