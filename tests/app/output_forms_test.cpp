// What other programs read: --json, --quiet, and exit codes.
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/sweep_fixture.h"
#include "base/exit_code.h"
#include "support/file_text.h"
#include "support/paths.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

class OutputForms : public Sweep {
 protected:
  static Ran lockstep(std::vector<std::string> words) {
    words.insert(words.begin(), lockstep_program());
    return run(std::move(words));
  }
};

TEST_F(OutputForms, AQuietSweepPrintsItsConfigurationsAsJsonAndNothingElse) {
  const Ran swept = run(sweep({"--num-devices=1,2", "--repeats=1", "--json", "--quiet"}));
  ASSERT_EQ(swept.exit_code(), kSuccess) << swept.err;
  EXPECT_THAT(swept.err, IsEmpty());
  const Json rows = Json::parse(swept.out);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].at("model"), "trivial");
  EXPECT_EQ(rows[1].at("devices"), 2);
  EXPECT_GT(rows[1].at("images_per_sec").get<double>(), 0);
  EXPECT_TRUE(rows[1].at("images_per_sec_low").is_null()) << "one launch has no interval";

  const Ran report = lockstep({"report", results(), "--json", "-q"});
  EXPECT_EQ(Json::parse(report.out), rows);
  EXPECT_THAT(report.err, IsEmpty());
}

TEST_F(OutputForms, ASingleRunAndSeveralOfThemAreJson) {
  const std::vector<std::string> short_run = {"--num-warmup-batches=0", "--num-batches=2",
                                              "--threads=1", "--json"};
  std::vector<std::string> train = {"train", "--model=trivial", "--batch-size=2"};
  train.insert(train.end(), short_run.begin(), short_run.end());
  const Ran trained = lockstep(train);
  EXPECT_EQ(Json::parse(trained.out).at("facts").at("model"), "trivial") << trained.err;

  std::vector<std::string> bench = {"bench", "--models=trivial:2,lenet:2", "--output=" + results(),
                                    "--quiet"};
  bench.insert(bench.end(), short_run.begin(), short_run.end());
  const Ran benched = lockstep(bench);
  EXPECT_THAT(benched.err, IsEmpty());
  const Json list = Json::parse(benched.out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1].at("facts").at("model"), "lenet");
}

// A reader such as head ends it by SIGPIPE.
TEST_F(OutputForms, AReaderThatStopsLeavesNoTemporaryDirectory) {
  const TemporaryDirectory temporary;
  const std::string line = "TMPDIR=" + temporary.path().string() + " " + lockstep_program() +
                           " train --model=trivial --batch-size=2 --num-warmup-batches=0 "
                           "--num-batches=1 --threads=1 --json --quiet | ";
  for (const char* reader : {"true", "head -c 5 >/dev/null"}) {
    ASSERT_EQ(std::system((line + reader).c_str()), 0);
    EXPECT_TRUE(wait_until([&] { return std::filesystem::is_empty(temporary.path()); })) << reader;
  }
}

TEST_F(OutputForms, AllReducesAreJson) {
  const Ran reduced = lockstep(
      {"allreduce", "--num-devices=2", "-b", "1K", "-e", "1K", "-n", "2", "--json", "--quiet"});
  EXPECT_EQ(Json::parse(reduced.out).at("kind"), "allreduce") << reduced.err;
  EXPECT_THAT(reduced.err, IsEmpty());
}

TEST_F(OutputForms, TuneNamesTheFastestCommandLineInItsJson) {
  const Ran tuned =
      lockstep({"tune", "--model=trivial", "--batch-size=2", "--num-devices=1", "--num-batches=2",
                "--num-warmup-batches=0", "--repeats=1", "--json", "--output=" + results()});
  const Json json = Json::parse(tuned.out);
  EXPECT_THAT(json.at("fastest").get<std::string>(), HasSubstr("lockstep train --model"));
  EXPECT_FALSE(json.at("configurations").empty());
}

TEST_F(OutputForms, AQuietCommandThatFailsSaysEverything) {
  const Ran ran = lockstep({"train", "--model=lenet", "--batch-size=2", "--num-batches=1",
                            "--threads=1", "--quiet", "--nodistortions", "--train-dir=/proc/none"});
  EXPECT_EQ(ran.exit_code(), kUsage);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: "));
}

TEST_F(OutputForms, JsonAndOtherFormsExcludeEachOther) {
  const Ran both = lockstep({"report", results(), "--json", "--csv"});
  EXPECT_EQ(both.exit_code(), kUsage);
  EXPECT_THAT(both.err, HasSubstr("--markdown, --csv and --json exclude each other"));
  const std::vector<std::vector<std::string>> lines = {
      {"report", results(), "--json", "--best"},
      {"sweep", "--json", "--dry-run"},
      {"train", "--json", "--result=r.json"},
  };
  for (const auto& line : lines) {
    const Ran ran = lockstep(line);
    EXPECT_EQ(ran.exit_code(), kUsage) << line.front();
    EXPECT_THAT(ran.err, HasSubstr("--json prints")) << line.front();
  }
}

// Scripts depend on the numbers: a change of them must be meant.
TEST(ExitCodes, AreThoseThatTheDocumentationPromises) {
  std::string line, table = file_text(project_path("docs/running.md"));
  const int codes[] = {0, 1, 2, 3, 130};
  ASSERT_EQ(std::size(codes), std::size(kExitCodes));
  for (size_t i = 0; i < std::size(codes); ++i) {
    EXPECT_EQ(kExitCodes[i].code, codes[i]);
    const std::string name(kExitCodes[i].name);
    EXPECT_THAT(table, HasSubstr(fmt::format("\n| {} | {}", codes[i], name)));
    line += fmt::format("{}{} {}", i == 0 ? "" : ", ", codes[i], name);
  }
  EXPECT_THAT(file_text(project_path("docs/configuration.md")), HasSubstr(line + "."));
}

}  // namespace
}  // namespace lockstep
