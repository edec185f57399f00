// Every flag of tf_cnn_benchmarks has a fate, and the documentation tells the same.
#include "app/tf_flags.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/text.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;
using Fate = TfFlag::Fate;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct KnownFlag {
  std::string name, fallback, other;
};

// "-" is no default at all, "''" an empty one.
std::vector<KnownFlag> known_flags() {
  std::vector<KnownFlag> flags;
  std::ifstream file(project_path("tests/app/tf_cnn_benchmarks_flags.txt"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    KnownFlag flag;
    if (line.starts_with('#') || !(words >> flag.name >> flag.fallback >> flag.other)) continue;
    if (flag.fallback == "''") flag.fallback.clear();
    flags.push_back(flag);
  }
  return flags;
}

struct Answer {
  std::string problems;
  Words notes;
};

Answer answer_to(const Words& words) {
  RunConfig run;
  IgnoredFlags ignored;
  CommandSyntax syntax = {.command = "train", .summary = "", .flags = run_flags(run)};
  std::ranges::move(tf_only_flags(ignored), std::back_inserter(syntax.flags));
  try {
    parse(syntax, words);
  } catch (const UsageError& error) {
    return {error.what(), {}};
  }
  return {"", ignored.notes()};
}

const TfFlag& row_of(const std::string& name) {
  const auto flag = std::ranges::find(tf_flags(), name, &TfFlag::name);
  if (flag == tf_flags().end()) throw Error("{} is not in the table", name);
  return *flag;
}

TEST(TfFlags, TheTableHasAllFlagsAndNoOthers) {
  std::set<std::string> expected, names;
  for (const KnownFlag& flag : known_flags()) expected.insert(flag.name);
  EXPECT_EQ(expected.size(), 137u);
  expected.insert({"ml_perf_compliance_logging", "iters_per_step"});
  for (const TfFlag& flag : tf_flags()) names.emplace(flag.name);
  EXPECT_EQ(names, expected);
  EXPECT_EQ(tf_flags().size(), 139u);
}

TEST(TfFlags, FlagsThatWorkAreOptionsAndAllOthersHaveAReason) {
  for (const std::span<const TfFlag> table : {tf_flags(), absl_flags()}) {
    for (const TfFlag& flag : table) {
      const bool works = flag.fate == Fate::Works;
      EXPECT_EQ(find_option(flag.name) != nullptr, works) << flag.name;
      EXPECT_TRUE(works || !flag.text.empty()) << flag.name;
    }
  }
}

TEST(TfFlags, EveryFlagIsAnsweredAsTheTableSays) {
  for (const KnownFlag& flag : known_flags()) {
    const TfFlag& row = row_of(flag.name);
    const Answer answer = answer_to({"--" + flag.name + "=" + flag.other});
    const bool refused = row.fate == Fate::Refused;
    EXPECT_EQ(!answer.problems.empty(), refused) << flag.name << ": " << answer.problems;
    EXPECT_EQ(answer.notes.size(), row.fate == Fate::Ignored ? 1u : 0u) << flag.name;
    if (refused) {
      EXPECT_THAT(answer.problems, HasSubstr(std::string(row.text))) << flag.name;
    }
    if (!answer.notes.empty()) {
      EXPECT_THAT(answer.notes[0], HasSubstr(" ignored: " + std::string(row.text))) << flag.name;
    }
  }
}

TEST(TfFlags, NoFlagIsRefusedOrNotedAtItsDefault) {
  for (const KnownFlag& flag : known_flags()) {
    EXPECT_EQ(flag.fallback == "-" ? "" : lower_case(flag.fallback),
              lower_case(row_of(flag.name).fallback))
        << flag.name;
    if (flag.fallback == "-") continue;
    const Answer answer = answer_to({"--" + flag.name + "=" + flag.fallback});
    EXPECT_EQ(answer.problems, "") << flag.name;
    EXPECT_THAT(answer.notes, IsEmpty()) << flag.name;
  }
}

TEST(TfFlags, ALineWithAllDefaultsIsAccepted) {
  Words words;
  for (const KnownFlag& flag : known_flags()) {
    if (flag.fallback != "-") words.push_back("-" + flag.name + "=" + flag.fallback);
  }
  EXPECT_EQ(answer_to(words).problems, "");
}

TEST(TfFlags, FlagsWithTheSameReasonShareANote) {
  const Answer answer = answer_to({"--mkl", "--kmp_blocktime=1", "--xla=True", "--nouse_datasets"});
  EXPECT_THAT(answer.notes,
              ElementsAre(HasSubstr("--use-datasets ignored: "),
                          HasSubstr("--mkl, --kmp-blocktime ignored: "), HasSubstr("--xla ")));
}

TEST(TfFlags, RefusalsAreReportedWithAllOtherProblems) {
  const Answer answer = answer_to({"--fp16_vars", "--batch_size=lots", "--debugger", "cli"});
  EXPECT_EQ(split(answer.problems, '\n').size(), 3u) << answer.problems;
}

TEST(TfFlags, ACpuForHorovodIsAccepted) {
  EXPECT_EQ(answer_to({"--horovod_device=cpu"}).problems, "");
  EXPECT_THAT(answer_to({"--horovod_device", "gpu"}).problems, HasSubstr("summed on the CPU"));
}

TEST(TfFlags, FlagsOfAbslAreNotedOrObeyed) {
  EXPECT_THAT(answer_to({"--alsologtostderr", "--verbosity=1", "--stderrthreshold", "info"}).notes,
              ElementsAre(HasSubstr("--alsologtostderr, --stderrthreshold, --verbosity ignored")));
  for (const Words& words : {Words{"-v", "1"}, Words{"--v=1"}, Words{"-v", "-1"}}) {
    EXPECT_EQ(answer_to(words).problems, "") << words[0];
  }
  EXPECT_EQ(answer_to({"--undefok=new_flag,other", "--new_flag", "3", "--noother"}).problems, "");
  EXPECT_THAT(answer_to({"--undefok=new_flag", "--newer=1"}).problems, HasSubstr("--newer"));
}

// `lockstep train` prints the same, and a row that changes changes the page.
TEST(TfFlags, TheDocumentationShowsTheTable) {
  std::ifstream file(project_path("docs/tf_cnn_benchmarks.md"));
  std::stringstream page;
  page << file.rdbuf();
  const std::string table = tf_flags_markdown();
  EXPECT_NE(page.str().find(table), std::string::npos) << "the page needs this table:\n" << table;
}

}  // namespace
}  // namespace lockstep
