// `lockstep allreduce` as a user runs it: real processes of the real program.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "comm/all_reduce_spec.h"
#include "support/leaks.h"
#include "support/paths.h"
#include "support/real_runs.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AllReduceCommand : public ::testing::Test {
 protected:
  static Ran allreduce(const std::vector<std::string>& more) {
    std::vector<std::string> words = {lockstep_program(), "allreduce"};
    words.insert(words.end(), more.begin(), more.end());
    return run_really(words);
  }

  nlohmann::json result() const {
    std::ifstream file(directory_ / "r.json");
    return nlohmann::json::parse(file);
  }
  std::string result_path() const { return (directory_ / "r.json").string(); }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(AllReduceCommand, StartsItsRanksAndFindsAllSumsRight) {
  const Ran ran =
      allreduce({"-g3", "-b4", "-e64K", "-f64", "-n3", "-w1", "--result", result_path()});
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 ranks on 1 host"));
  EXPECT_THAT(ran.out, HasSubstr("wrong values: 0"));
  const nlohmann::json json = result();
  ASSERT_EQ(json["rows"].size(), 3u);
  for (const auto& row : json["rows"]) {
    EXPECT_EQ(row["seconds"].size(), 3u);
    EXPECT_EQ(row["wrong"], 0);
    EXPECT_EQ(row["by"], "shm");
  }
}

TEST_F(AllReduceCommand, LetsBackEndsTakeTurns) {
  const Ran ran = allreduce({"-g2", "-b64K", "-e64K", "-n2", "--communicator=shm,gloo",
                             "--gradient-compression=bf16", "--result", result_path()});
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const nlohmann::json json = result();
  ASSERT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["rows"][0]["by"], "shm");
  EXPECT_EQ(json["rows"][1]["by"], "gloo");
}

TEST_F(AllReduceCommand, TakesTheGradientsOfAModel) {
  const Ran ran =
      allreduce({"-g2", "--model=lenet", "--bucket-mb=1", "-n2", "--result", result_path()});
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const nlohmann::json rows = result()["rows"];
  EXPECT_EQ(rows.back()["what"], "all");
  EXPECT_EQ(rows.back()["messages"], rows.size() - 1);
}

TEST_F(AllReduceCommand, TuneEndsWithASpecThatARunTakes) {
  const Ran ran = allreduce({"-g2", "--tune", "-b1K", "-e64K", "-f8", "-n3"});
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const size_t at = ran.out.find("--all-reduce-spec ");
  ASSERT_NE(at, std::string::npos) << ran.out;
  std::string option, spec;
  std::istringstream(ran.out.substr(at)) >> option >> spec;
  EXPECT_FALSE(parse_all_reduce_spec(spec).rules.empty());
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("size +fastest +lead +second"));
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("65536 +[a-z_]+ +[0-9.]+x +[a-z_]+"));
  const Ran with = allreduce({"-g2", option, spec, "-b1K", "-e1K", "-n2"});
  EXPECT_EQ(with.outcome.end, RunEnd::Completed) << with.err;
}

TEST_F(AllReduceCommand, TakesItsRankFromMpirun) {
  const Ran ran = run_really({"env", kLeaksOfOpenMpi, "mpirun", "--allow-run-as-root",
                              "--oversubscribe", "--bind-to", "none", "--mca",
                              "mpi_yield_when_idle", "1", "-np", "3", lockstep_program(),
                              "allreduce", "-b64K", "-e128K", "-n3", "--communicator=mpi,shm"});
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 ranks on 1 host"));
  EXPECT_THAT(ran.out, HasSubstr("wrong values: 0"));
}

TEST_F(AllReduceCommand, RefusesInvalidOptionsBeforeItStartsAnyProcess) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{}, "an all-reduce needs at least 2"},
      {{"-g2", "-b3X"}, "'3X'"},
      {{"-g2", "-b8", "-e4"}, "below --minbytes"},
      {{"-g2", "-b5", "-e7"}, "no multiple of 4"},
      {{"-g2", "--bucket-mb=4"}, "--bucket-mb requires --model"},
      {{"-g2", "--communicator=carrier-pigeon"}, "use one of shm, gloo"},
      {{"-g2", "--tune", "--model=lenet"}, "leave out --model"},
      {{"-g2", "--tune", "--all-reduce-spec=xring"}, "leave it out"},
      {{"-g2", "--all-reduce-spec=xrong"}, "xrong"},
      {{"-g2", "--model=resnot50"}, "resnot50"},
      {{"-g2", "-f1"}, "--stepfactor"},
  };
  for (const auto& [arguments, words] : cases) {
    const Ran ran = allreduce(arguments);
    EXPECT_EQ(ran.exit_code(), 2) << words;
    EXPECT_THAT(ran.err, HasSubstr(words));
    EXPECT_EQ(ran.out, "") << words;
  }
}

}  // namespace
}  // namespace lockstep
