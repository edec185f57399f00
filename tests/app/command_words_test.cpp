#include "app/command_words.h"

#include <gmock/gmock.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Words words_of(const Words& arguments) {
  RunConfig run;
  return command_words({.command = "train", .summary = "", .flags = run_flags(run)}, arguments)
      .words;
}

TEST(CommandWords, OneDashWorksLikeTwoForLongNames) {
  EXPECT_THAT(words_of({"-num_gpus=1"}), ElementsAre("--num-gpus", "1"));
  EXPECT_THAT(words_of({"-model", "resnet50"}), ElementsAre("--model", "resnet50"));
  EXPECT_THAT(words_of({"-forward_only", "-noprofile"}),
              ElementsAre("--forward-only", "--noprofile"));
  EXPECT_THAT(words_of({"-nodes", "2"}), ElementsAre("--nodes", "2"));
}

TEST(CommandWords, ASwitchMayBeFollowedByItsValue) {
  EXPECT_THAT(words_of({"--efficiency", "true", "--forward_only", "False"}),
              ElementsAre("--efficiency=true", "--forward-only=false"));
  EXPECT_THAT(words_of({"--efficiency", "sweep.toml"}), ElementsAre("--efficiency", "sweep.toml"));
}

TEST(CommandWords, LettersKeepTheirMeaning) {
  EXPECT_THAT(words_of({"-n", "2"}), ElementsAre("--nodes", "2"));
  EXPECT_THAT(words_of({"-n2", "-b32"}), ElementsAre("--nodes", "2", "--batch-size", "32"));
  EXPECT_THAT(words_of({"-b=32"}), ElementsAre("--batch-size", "32"));
  EXPECT_THAT(words_of({"-vn", "2"}), ElementsAre("--verbose", "--nodes", "2"));
  EXPECT_THAT(words_of({"-vn2"}), ElementsAre("--verbose", "--nodes", "2"));
  EXPECT_THAT(words_of({"-xyz"}), ElementsAre("-xyz"));
}

TEST(CommandWords, HFollowedByAWordNamesHostsAndAsksForHelpOtherwise) {
  EXPECT_THAT(words_of({"-h", "nodes", "-n", "2"}),
              ElementsAre("--hosts", "nodes", "--nodes", "2"));
  EXPECT_THAT(words_of({"-hnodes"}), ElementsAre("--hosts", "nodes"));
  EXPECT_THAT(words_of({"-h"}), ElementsAre("--help"));
  EXPECT_THAT(words_of({"-h", "-n", "2"}), ElementsAre("--help", "--nodes", "2"));
  EXPECT_THAT(words_of({"-vh"}), ElementsAre("--verbose", "--help"));
  const CommandSyntax without = {.command = "report", .summary = "", .flags = {}};
  EXPECT_THAT(command_words(without, Words{"-h", "word"}).words, ElementsAre("--help", "word"));
}

TEST(CommandWords, EveryHelpOfAbslIsHelp) {
  for (const char* word : {"--help", "-help", "--helpfull", "-helpfull", "--helpshort"}) {
    EXPECT_THAT(words_of({word}), ElementsAre("--help")) << word;
  }
}

TEST(CommandWords, ValuesStayAsTheyAre) {
  EXPECT_THAT(words_of({"--mpirun-option", "--map_by"}),
              ElementsAre("--mpirun-option", "--map_by"));
  EXPECT_THAT(words_of({"--mpirun-option", "-model"}), ElementsAre("--mpirun-option", "-model"));
  EXPECT_THAT(words_of({"--init_learning_rate", "-1"}), ElementsAre("--init-learning-rate", "-1"));
  EXPECT_THAT(words_of({"--result=a_b=c"}), ElementsAre("--result", "a_b=c"));
  EXPECT_THAT(words_of({"--ps_hosts=", "--eval"}), ElementsAre("--ps-hosts", "", "--eval"));
  EXPECT_THAT(words_of({"--", "-n"}), ElementsAre("--", "-n"));
  EXPECT_THAT(words_of({"---", "-", "--="}), ElementsAre("---", "-", "--="));
}

class FlagFiles : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(directory_.path() / name) << text;
    return (directory_.path() / name).string();
  }
  static CommandWords read(const Words& arguments) {
    RunConfig run;
    return command_words({.command = "train", .summary = "", .flags = run_flags(run)}, arguments);
  }

  TemporaryDirectory directory_;
};

TEST_F(FlagFiles, FlagsOfAFileTakeItsPlaceOnTheLine) {
  const std::string path = file("flags",
                                "# what to run\n\n  --model=vgg16\n// absl's other comment\n"
                                "--batch_size 32\n-num_gpus=2\r\n--noprofile");
  const Words expected = {"--eval",     "--model", "vgg16",       "--batch-size", "32",
                          "--num-gpus", "2",       "--noprofile", "--seed",       "3"};
  EXPECT_EQ(read({"--eval", "--flagfile=" + path, "--seed=3"}).words, expected);
  EXPECT_EQ(read({"--eval", "-flagfile", path, "--seed=3"}).words, expected);
}

TEST_F(FlagFiles, AFileMayNameOthers) {
  const std::string inner = file("inner", "--seed=3\n");
  const std::string outer = file("outer", "--flagfile=" + inner + "\n--flagfile " + inner);
  EXPECT_THAT(read({"--flagfile", outer}).words, ElementsAre("--seed", "3", "--seed", "3"));
}

TEST_F(FlagFiles, AFileThatIsMissingOrContainsItselfIsAProblemOfTheLine) {
  const std::string path = (directory_.path() / "flags").string();
  EXPECT_THAT(read({"--flagfile=" + path}).problems,
              ElementsAre("--flagfile: cannot read " + path + ": No such file or directory"));
  file("flags", "--flagfile=" + path);
  EXPECT_THAT(read({"--flagfile=" + path}).problems, ElementsAre(HasSubstr("it contains itself")));
  EXPECT_THAT(read({"--flagfile=" + directory_.path().string()}).problems,
              ElementsAre(HasSubstr("it is a directory")));
  EXPECT_THAT(read({"--flagfile=/dev/zero"}).problems,
              ElementsAre("--flagfile: cannot read /dev/zero: it is not a regular file"));
  EXPECT_THAT(read({"--flagfile"}).problems, ElementsAre(HasSubstr("needs the name of a file")));
  file("flags", "--seed=3\nmodel=vgg16\n");
  EXPECT_THAT(read({"--flagfile=" + path}).problems,
              ElementsAre(path + ":2: 'model=vgg16' is no flag; write --name=value"));
}

TEST_F(FlagFiles, NamesOfUndefokMayBeUnknown) {
  EXPECT_THAT(read({"--undefok=new_flag,other"}).may_be_unknown,
              ElementsAre("new-flag", "nonew-flag", "noother", "other"));
  EXPECT_THAT(read({"--undefok=a"}).words, IsEmpty());
}

}  // namespace
}  // namespace lockstep
