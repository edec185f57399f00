// ./run compare on a network that takes seconds: its tables are written, and written again from the
// result files alone.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class Compare : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
    std::ofstream(directory_ / "page.md")
        << "before\n<!-- summary: begin -->\nold\n<!-- summary: end -->\n"
           "<!-- comparison: begin -->\nold\n<!-- comparison: end -->\nbetween\n"
           "<!-- layers: begin -->\n<!-- layers: end -->\nafter\n";
  }

  int run(const std::string& more) const {
    const std::string folder = directory_.string();
    const std::string line =
        "cd " + folder + " && XDG_CACHE_HOME=" + folder + " PYTHONDONTWRITEBYTECODE=1 python3 " +
        project_path("bench/compare/compare.py") + " --lockstep " + lockstep_program() +
        " --workers 1 --rounds 2 --steps 2 --frameworks lockstep,lockstep:torch,lockstep:torch:NHWC"
        " --results results --document page.md " +
        more + " >out 2>err";
    return WEXITSTATUS(std::system(line.c_str()));
  }
  // By commands of sed.
  void edit_results(const std::string& edit) const {
    std::ofstream(directory_ / "edit") << edit << "\n";
    const std::string folder = directory_.string();
    ASSERT_EQ(std::system(("cd " + folder + " && sed -i -f edit results/results.jsonl").c_str()),
              0);
  }
  std::string text_in(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(directory_ / name).rdbuf();
    return text.str();
  }
  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(Compare, WritesItsTablesAndThenTheSameFromTheResultsAlone) {
  ASSERT_EQ(run("--models lenet:2"), 0) << text_in("err");
  const std::string page = text_in("page.md");
  EXPECT_THAT(page, HasSubstr("| lenet | 2 | 1 |"));
  EXPECT_THAT(page, HasSubstr("lockstep trains "));
  EXPECT_THAT(page, ContainsRegex("lenet . 2 . 1 . N(CHW|HWC) "));
  EXPECT_THAT(page, HasSubstr("### lenet, batch 2, "));
  EXPECT_THAT(page,
              ContainsRegex("LibTorch[ \n]+2[.]"));  // where a line ends depends on the processor
  EXPECT_THAT(page, HasSubstr("\nbetween\n"));
  EXPECT_EQ(page.find("\nold\n"), std::string::npos);
  EXPECT_THAT(text_in("page.svg"), HasSubstr("</svg>"));
  ASSERT_EQ(run("--models lenet:2"), 0) << text_in("err");
  EXPECT_EQ(text_in("page.md"), page);
}

// Models, launches, rows of frameworks that were not installed then.
TEST_F(Compare, OtherResultsInTheFolderDoNotCount) {
  const std::string command = "--models Lenet:2 --rounds 1";
  ASSERT_EQ(run(command), 0) << text_in("err");
  const std::string page = text_in("page.md");
  ASSERT_EQ(run("--models lenet:2,trivial:2"), 0) << text_in("err");
  EXPECT_THAT(text_in("page.md"), HasSubstr("| trivial | 2 | 1 |"));
  edit_results(R"(/completed/{h;s/completed/skipped/;s/"error":null/"error":"missing"/;p;g})");
  ASSERT_EQ(run(command), 0) << text_in("err");
  EXPECT_EQ(text_in("page.md"), page);
}

TEST_F(Compare, TwoVersionsOfAFrameworkAreRefusedInOneLine) {
  ASSERT_EQ(run("--models lenet:2"), 0) << text_in("err");
  edit_results(R"(/"launch":1,/s/"program_version":"/&old-/)");
  EXPECT_EQ(run("--models lenet:2"), 1);
  EXPECT_THAT(text_in("err"),
              MatchesRegex("compare: results has results of [^\n]* and old-[^\n]*\n"));
}

TEST_F(Compare, MakesAPageAndUsesOnlyPythonsOfFrameworks) {
  fs::create_directories(directory_ / "environments/stray/bin");
  std::ofstream(directory_ / "environments/stray/bin/python3");
  ASSERT_EQ(run("--models lenet:2 --environments environments --document own/new.md"), 0)
      << text_in("err");
  EXPECT_THAT(text_in("own/new.md"), AllOf(HasSubstr("| lenet | 2 | 1 |"), HasSubstr("(new.svg)")));
  EXPECT_THAT(text_in("own/new.svg"), HasSubstr("</svg>"));
}

TEST_F(Compare, RefusesWhatItCannotMeasureInOneLine) {
  EXPECT_EQ(run("--models lenet"), 1);
  EXPECT_EQ(text_in("err"), "--models: 'lenet' is not NAME:BATCH\n");
  EXPECT_EQ(run("--models nonet:2"), 2);
  EXPECT_THAT(text_in("err"), HasSubstr("nonet"));
  EXPECT_THAT(text_in("page.md"), HasSubstr("\nold\n"));
}

}  // namespace
}  // namespace lockstep
