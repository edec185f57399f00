// The real program on this machine: what it prints, writes and returns.
#include <gmock/gmock.h>

#include <fstream>

#include "base/host_name.h"
#include "config/json.h"
#include "measure/cores.h"
#include "support/file_text.h"
#include "support/paths.h"
#include "support/real_runs.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class SelfTestProgram : public ::testing::Test {
 protected:
  Ran selftest(std::vector<std::string> more) const {
    more.insert(more.begin(), {lockstep_program(), "selftest"});
    return run_really(more, directory_.path().string());
  }

  TemporaryDirectory directory_;
};

std::vector<std::string> checks_in(const Json& report) {
  std::vector<std::string> checks;
  for (const Json& row : report.at("rows")) checks.push_back(row.at("check"));
  return checks;
}

TEST_F(SelfTestProgram, ThisMachinePassesAndTheBundleHoldsTheReport) {
  const Ran ran = selftest({"--json", "--bundle=bundle"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err << ran.out;
  const Json report = Json::parse(ran.out);
  EXPECT_EQ(report.at("verdict"), "pass");
  EXPECT_THAT(checks_in(report), Contains(HasSubstr("operations ")));
  EXPECT_THAT(checks_in(report), Contains("networks"));
  EXPECT_THAT(checks_in(report), Contains("all-reduce shm"));
  EXPECT_THAT(checks_in(report), Contains("all-reduce gloo"));
  EXPECT_THAT(checks_in(report), Contains("memory bandwidth"));
  EXPECT_TRUE(report.at("hosts").contains(host_name())) << report.at("hosts");
  EXPECT_EQ(Json::parse(file_text(directory_.path("bundle/report.json"))).at("rows"),
            report.at("rows"));
  EXPECT_THAT(file_text(directory_.path("bundle/table.txt")), HasSubstr("operations"));
}

TEST_F(SelfTestProgram, AnInjectedWrongResultFailsAndIsNamed) {
  const std::string core = std::to_string(allowed_cores().back());
  const std::string fault = host_name() + ":" + core + ":MaxPool3x3Stride2ValidOf16x9x9";
  const Ran ran = selftest({"--inject-fault=" + fault});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("FAIL"), HasSubstr("core " + core),
                             HasSubstr("MaxPool3x3Stride2ValidOf16x9x9: other bits in pass 2")));
  EXPECT_THAT(ran.err,
              HasSubstr(host_name() + " core " + core + " MaxPool3x3Stride2ValidOf16x9x9"));
}

TEST_F(SelfTestProgram, AWrongSumFailsAndNamesTheRank) {
  const Ran ran = selftest({"--inject-fault=" + host_name() + ":rank 1:all-reduce shm"});
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.out, HasSubstr("all-reduce shm: 1 wrong number sent"));
  EXPECT_THAT(ran.err, HasSubstr("rank 1 all-reduce shm"));
}

TEST_F(SelfTestProgram, BadRequestsAreRefusedBeforeAnythingStarts) {
  EXPECT_EQ(selftest({"--inject-fault=x"}).exit_code(), 2);
  std::ofstream(directory_.path("file")) << "x";
  std::filesystem::create_directory(directory_.path("full"));
  std::ofstream(directory_.path("full/file")) << "x";
  EXPECT_EQ(selftest({"--bundle=full"}).exit_code(), 2);
  EXPECT_EQ(selftest({"--device=cuda", "--engine=native"}).exit_code(), 2);
}

}  // namespace
}  // namespace lockstep
