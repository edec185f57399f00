#include "sweep/run_sweep.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "config/json.h"
#include "config/run_id.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

// A launch has left its whole result; whatever is launched now fails.
class RunSweep : public ::testing::Test {
 protected:
  RunSweep() {
    plan_.runs = {{run_id({}), {}}};
    plan_.repeats = 1;
    plan_.retry_failed = true;
    result_.started_at = "then";
    const std::string raw = temporary_.path(raw_file_of(plan_.runs.front(), 0));
    std::filesystem::create_directories(std::filesystem::path(raw).parent_path());
    write_whole_file(raw, result_to_json(result_).dump());
  }

  SweepOutcome run(ResultsStore& store) const {
    return run_sweep(plan_, store, "/bin/false", [](const SweepRun&) { return 1.0; }, {});
  }

  TemporaryDirectory temporary_;
  SweepPlan plan_;
  RunResult result_;
};

TEST_F(RunSweep, AnUnstoredResultOfAKilledSweepIsRecovered) {
  ResultsStore store(temporary_.path().string());
  const SweepOutcome outcome = run(store);
  EXPECT_EQ(outcome.adopted, 1);
  EXPECT_EQ(outcome.launched, 0);
}

TEST_F(RunSweep, ALaunchThatFailedAfterItsResultIsLaunchedAgain) {
  ResultsStore store(temporary_.path().string());
  StoredRun failed = {.id = plan_.runs.front().id, .repeat = 0, .result = result_};
  failed.result.status = RunStatus::Failed;
  failed.result.error = "it broke at its end";
  store.append(failed);
  const SweepOutcome outcome = run(store);
  EXPECT_EQ(outcome.adopted, 0);
  EXPECT_EQ(outcome.launched, 1);
  EXPECT_EQ(outcome.failed, 1);
}

}  // namespace
}  // namespace lockstep
