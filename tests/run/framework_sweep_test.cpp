// `sweep --frameworks` with our own engine and a real framework: everything that it writes.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "framework/frameworks.h"
#include "report/results/results_store.h"
#include "run/workers_fixture.h"
#include "support/file_text.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class FrameworkSweep : public Workers, public ::testing::WithParamInterface<Framework> {
 protected:
  static std::string name() { return std::string(GetParam().name); }
  static std::string python() { return framework_python(name()); }
  void SetUp() override {
    if (!fs::exists(python())) {
      GTEST_SKIP() << "no " << GetParam().title << "; './run frameworks " << name()
                   << "' installs it";
    }
  }
};

// No framework has adam: such a pair is one row with the reason.
TEST_P(FrameworkSweep, ComparesNetworksInTablesFilesAndAPage) {
  const std::string out = path("out");
  const Ran ran = run({lockstep_program(), "sweep",
                       fmt::format("--frameworks=lockstep,{}:{}", name(), GetParam().modes[0]),
                       "--models=trivial:4,lenet:4", "--optimizer=sgd,adam", "--num-batches=3",
                       "--num-warmup-batches=1", "--repeats=1", "--num-devices=1", "--threads=1",
                       "--python=" + python(), "--output=" + out});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  int measured = 0, skipped = 0;
  for (const StoredRun& run : read_store(out).runs) {
    if (run.measured()) ++measured;
    if (run.result.status != RunStatus::Skipped) continue;
    ++skipped;
    EXPECT_THAT(run.result.error.value_or(""),
                HasSubstr("--optimizer adam is not supported with --framework"));
  }
  EXPECT_EQ(measured, 6);
  EXPECT_EQ(skipped, 2);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("lenet"), HasSubstr(name()), HasSubstr("not supported")));
  // The directory is named after framework and mode: csv_pytorch_eager.
  EXPECT_THAT(ran.out, AllOf(HasSubstr("/csv_native/"), HasSubstr("/csv_" + name())));
  EXPECT_THAT(file_text(out + "/report.html"),
              AllOf(HasSubstr(name()), HasSubstr("--optimizer adam is not supported")));
}

INSTANTIATE_TEST_SUITE_P(All, FrameworkSweep, ::testing::ValuesIn(frameworks()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lockstep
