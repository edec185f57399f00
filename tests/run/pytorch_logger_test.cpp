// PyTorch's exposed communication, as the adapter measures it, against DDP's own logger.
#include <filesystem>
#include <fstream>

#include "measure/statistics.h"
#include "report/results/run_result.h"
#include "run/workers_fixture.h"
#include "support/paths.h"

namespace lockstep {
namespace {

const std::string kPython = framework_python("pytorch");

// After each step the adapter writes what the logger knows of the step before: how long
// communication took, and how much of it backward hid.
constexpr const char* kAskTheLogger = R"(
s/^ *self.communication = Exposed.*/&; self.model._set_ddp_runtime_logging_sample_rate(1)/
s/^\( *\)waited = .*/&\n\1told = self.model._get_ddp_logging_data() if self.communication else {}\
\1print(told.get("backward_comm_time", 0) - told.get("backward_compute_comm_overlap_time", 0),\
\1      file=open("logger-%d" % self.job.rank, "a"))/
)";

class PyTorchLogger : public Workers, public ::testing::WithParamInterface<const char*> {};

TEST_P(PyTorchLogger, AgreesOnExposedCommunication) {
  if (!std::filesystem::exists(kPython)) {
    GTEST_SKIP() << "no PyTorch; './run frameworks pytorch' installs it";
  }
  std::ofstream(path("edit")) << kAskTheLogger;
  std::ofstream(path("python")) << fmt::format("#!/bin/sh\nsed -i -f edit $1\nexec {} \"$@\"\n",
                                               kPython);
  std::filesystem::permissions(path("python"), std::filesystem::perms::owner_all);
  const Ran ran =
      run(train({fmt::format("--framework=pytorch:{}", GetParam()), "--python", path("python"),
                 "--num-devices=2", "--threads=1", "--model=cifar10_alexnet", "--num-batches=20",
                 "--result", path("r.json")}));
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult result = read_result(path("r.json"));
  for (const RankResult& rank : result.ranks) {
    std::ifstream file(path(fmt::format("logger-{}", rank.rank)));
    std::vector<double> told;
    for (double nanoseconds; file >> nanoseconds;) told.push_back(nanoseconds / 1e9);
    // One line per step: the last ones are of all timed steps but the last.
    ASSERT_GE(told.size(), rank.steps.size());
    // Of the typical step: a process that has to wait for a core between the two clocks tells
    // nothing of them.
    std::vector<double> differences, lengths;
    for (size_t step = 0; step + 1 < rank.steps.size(); ++step) {
      const auto& phases = rank.steps[step].phases;
      const double measured = phases[static_cast<size_t>(Phase::Communication)].count();
      const double logged = told[told.size() - rank.steps.size() + 1 + step];
      differences.push_back(measured - logged);
      lengths.push_back(measured + phases[static_cast<size_t>(Phase::Backward)].count());
    }
    // The hook is called a moment before the logger takes backward for done.
    EXPECT_NEAR(median(differences), 0, 0.1 * median(lengths)) << "rank " << rank.rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, PyTorchLogger, ::testing::Values("eager", "compile"));

}  // namespace
}  // namespace lockstep
