// The user's configuration files and variables, with the real program.
#include "app/config_files.h"

#include <gmock/gmock.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "report/results/run_result.h"
#include "support/file_text.h"
#include "support/paths.h"
#include "support/real_runs.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ConfigFiles : public ::testing::Test {
 protected:
  void user_file(const std::string& text) {
    fs::create_directories(directory_ / "home/lockstep");
    std::ofstream(directory_ / "home/lockstep/config.toml") << text;
  }
  void working_file(const std::string& text) {
    std::ofstream(directory_ / "lockstep.toml") << text;
  }
  // In the directory, with these variables.
  Ran run(const std::vector<std::string>& words, const std::vector<std::string>& variables = {}) {
    std::vector<std::string> argv = {"env", "XDG_CONFIG_HOME=" + (directory_ / "home").string()};
    argv.insert(argv.end(), variables.begin(), variables.end());
    argv.emplace_back(lockstep_program());
    argv.insert(argv.end(), words.begin(), words.end());
    return run_really(argv, directory_.string());
  }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(ConfigFiles, TheStrongestSourceOfEachOptionCounts) {
  user_file("batch_size = 1\nseed = 1\nprefetch = 3\n[train]\nthreads = 4\noptimizer = 'adam'\n");
  working_file("batch-size = 2\noptimizer = 'momentum'\n[train]\nseed = 2\n[sweep]\nrepeats = 3\n");
  const Ran ran =
      run({"train", "--show-config", "--batch-size=9"}, {"LOCKSTEP_SEED=5", "LOCKSTEP_THREADS=7"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("\nbatch-size +9 +command line\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\nseed +5 +LOCKSTEP_SEED\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\nthreads +7 +LOCKSTEP_THREADS\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\noptimizer +momentum +lockstep.toml:2\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\nprefetch +3 +.*home/lockstep/config.toml:3\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\nnum-warmup-batches +10 +default\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\noverlap +true +default\n"));
  EXPECT_THAT(run({"sweep", "--show-config"}).out,
              ContainsRegex("\nrepeats +3 +lockstep.toml:6\n"));
}

TEST_F(ConfigFiles, TheSourcesOfOptionsAreJsonToo) {
  working_file("seed = 2\n");
  const Ran ran = run({"train", "--show-config", "--json"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const auto shown = [&](const std::string& option, const std::string& value) {
    return ContainsRegex("\"option\": \"" + option + "\",\n *\"value\": " + value +
                         ",\n *\"from\": ");
  };
  EXPECT_THAT(ran.out, AllOf(shown("seed", "2"), HasSubstr("\"from\": \"lockstep.toml:1\"")));
  EXPECT_THAT(ran.out, AllOf(shown("hosts", "null"), shown("overlap", "true")));
  EXPECT_THAT(ran.out, AllOf(shown("momentum", "0.9"), shown("optimizer", "\"sgd\"")));
}

TEST_F(ConfigFiles, UnknownNamesAreRefusedWithFileAndLine) {
  working_file("batch-siez = 2\n[trian]\n[models]\nbatch-size = 3\n");
  const Ran ran = run({"models"});
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_THAT(ran.err, HasSubstr("lockstep.toml:1: unknown option batch-siez; did you mean"));
  EXPECT_THAT(ran.err,
              HasSubstr("lockstep.toml:2: [trian]: there is no such command; did you mean"));
  EXPECT_THAT(ran.err, HasSubstr("lockstep.toml:4: [models]: unknown option batch-size"));
  working_file("[train\n");
  EXPECT_THAT(run({"models"}).err, HasSubstr("lockstep.toml:1: "));
}

TEST_F(ConfigFiles, HelpAndCompletionWorkWithoutAReadableFile) {
  working_file("batch-siez = 2\n");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"train", "--help"}, {"train", "-h"}, {"data", "pack", "--help"}, {"help", "train"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code(), 0) << words.front() << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("Usage: "));
  }
  EXPECT_THAT(run({"completion", "bash"}).out, HasSubstr("complete -o"));
  EXPECT_EQ(run({"train", "--dry-run"}).exit_code(), 2);
}

TEST_F(ConfigFiles, CompletionGoesToTheShellWhateverTheOutputOfOthers) {
  working_file("output = 'elsewhere'\n");
  EXPECT_THAT(run({"completion", "bash"}).out, HasSubstr("complete -o"));
  EXPECT_FALSE(fs::exists(directory_ / "elsewhere"));
}

TEST_F(ConfigFiles, AnOptionIsSetOnceInAFile) {
  working_file("batch-size = 2\nbatch_size = 3\n");
  EXPECT_THAT(run({"train"}).err, ContainsRegex("lockstep.toml:[12]: batch-size is also set in"));
  working_file("num-gpus = 2\nnum-devices = 4\n");
  EXPECT_THAT(run({"train"}).err,
              HasSubstr("lockstep.toml:1: num-gpus is also set in lockstep.toml:2 as num-devices"));
  working_file("num-gpus = 2\n[train]\nnum-devices = 4\n");
  EXPECT_EQ(run({"train", "--show-config"}).exit_code(), 0);
}

TEST_F(ConfigFiles, AVariableMayHaveAnyNameOfItsOption) {
  EXPECT_THAT(run({"train", "--show-config"}, {"LOCKSTEP_NUM_GPUS=4"}).out,
              ContainsRegex("\nnum-devices +4 +LOCKSTEP_NUM_GPUS\n"));
  const Ran two = run({"train"}, {"LOCKSTEP_NUM_GPUS=4", "LOCKSTEP_NUM_DEVICES=2"});
  EXPECT_EQ(two.exit_code(), 2);
  EXPECT_THAT(two.err,
              HasSubstr("LOCKSTEP_NUM_GPUS: num-gpus is also set in LOCKSTEP_NUM_DEVICES"));
}

TEST_F(ConfigFiles, TheSecretOfARunIsNotThatOfAServer) {
  EXPECT_THAT(run({"serve", "--show-config"}, {"LOCKSTEP_TOKEN=abc"}).out, Not(HasSubstr("abc")));
}

TEST_F(ConfigFiles, AnUnknownVariableIsOneNote) {
  const std::string note =
      "note: LOCKSTEP_NUM_DEVICE is ignored: no option or setting has this name; did you mean "
      "LOCKSTEP_NUM_DEVICES?\n";
  const Ran ran = run({"models", "--json"}, {"LOCKSTEP_NUM_DEVICE=2"});
  EXPECT_EQ(ran.exit_code(), 0);
  EXPECT_EQ(ran.err, note);
  EXPECT_EQ(run({"train", "--show-config"}, {"LOCKSTEP_NUM_DEVICE=2"}).err, note);
  EXPECT_EQ(run({"models", "--quiet"}, {"LOCKSTEP_NUM_DEVICE=2"}).err, "");
  EXPECT_EQ(run({"models", "--help"}, {"LOCKSTEP_NUM_DEVICE=2"}).err, "");
  EXPECT_EQ(run({"models"}, {"LOCKSTEP_NUM_DEVICE=2", "LOCKSTEP_DEFAULTS=off"}).err, "");
}

TEST_F(ConfigFiles, WorkersDoNotRepeatTheNoteOnAVariable) {
  const Ran ran = run({"train", "--model=trivial", "--batch-size=2", "--num-batches=2",
                       "--threads=1", "--num-devices=2", "--verbose"},
                      {"LOCKSTEP_NUM_DEVICE=2"});
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
  const size_t first = ran.err.find("LOCKSTEP_NUM_DEVICE is ignored");
  EXPECT_NE(first, std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("is ignored", first + 40), std::string::npos) << ran.err;
}

// A variable LOCKSTEP_X is the default of every option --x.
TEST_F(ConfigFiles, NoOtherDocumentedVariableIsThatOfAnOption) {
  ASSERT_EQ(run({"manual", "--output=man"}).exit_code(), 0);
  std::string pages;
  for (const auto& page : fs::directory_iterator(directory_ / "man")) {
    pages += file_text(page.path().string());
  }
  ASSERT_THAT(pages, HasSubstr("\\-\\-bundle\\fR"));
  const std::string documentation = file_text(project_path("docs/configuration.md"));
  const std::regex variable("LOCKSTEP_([A-Z_]+)");
  const std::set<std::string> meant = {"LOCKSTEP_BATCH_SIZE", "LOCKSTEP_NUM_DEVICES",
                                       "LOCKSTEP_TOKEN"};
  for (std::sregex_iterator each(documentation.begin(), documentation.end(), variable), end;
       each != end; ++each) {
    std::string option = "\\-\\-";
    for (const char c : each->str(1)) {
      option += c == '_' ? "\\-" : std::string(1, static_cast<char>(std::tolower(c)));
    }
    if (meant.contains(each->str())) continue;
    for (const char* close : {"\\fR", ",", ")"}) {  // the name of an option, or another one of it
      EXPECT_THAT(pages, Not(HasSubstr(option + close))) << each->str();
    }
  }
}

TEST_F(ConfigFiles, ASwitchIsOnOrOffInAnyForm) {
  for (const auto& [text, value] :
       {std::pair{"TRUE", "true"}, {"1", "true"}, {"False", "false"}, {"0", "false"}}) {
    EXPECT_THAT(run({"train", "--show-config"}, {std::string("LOCKSTEP_OVERLAP=") + text}).out,
                ContainsRegex(std::string("\noverlap +") + value + " +LOCKSTEP_OVERLAP\n"));
  }
  const Ran ran = run({"train", "--show-config"}, {"LOCKSTEP_OVERLAP=yes"});
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_EQ(ran.err, "lockstep: LOCKSTEP_OVERLAP: --overlap must be true or false, not 'yes'\n");
}

TEST_F(ConfigFiles, OnlyOffSwitchesThemOff) {
  working_file("[train]\nbatch-size = 7\n");
  const auto shown = [&](const std::string& value) {
    return run({"train", "--show-config"}, {"LOCKSTEP_DEFAULTS=" + value}).out;
  };
  EXPECT_THAT(shown(""), HasSubstr("lockstep.toml:2"));
  EXPECT_THAT(shown("off"), Not(HasSubstr("lockstep.toml:2")));
  const Ran slip = run({"models"}, {"LOCKSTEP_DEFAULTS=of"});
  EXPECT_EQ(slip.exit_code(), 2);
  EXPECT_EQ(slip.err, "lockstep: LOCKSTEP_DEFAULTS must be off or unset, not 'of'\n");
}

TEST_F(ConfigFiles, AFileThatEveryUserMayWriteIsRefused) {
  working_file("ssh-option = 'ProxyCommand=false'\n");
  fs::permissions(directory_ / "lockstep.toml", fs::perms(0666));
  const Ran ran = run({"doctor", "--hosts=host1"});
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_EQ(ran.err,
            "lockstep: lockstep.toml is not safe to read: every user may write it; "
            "LOCKSTEP_DEFAULTS=off ignores configuration files\n");
}

TEST_F(ConfigFiles, AWrongValueNamesItsFileAndLine) {
  working_file("[train]\nbatch-size = 'many'\nprofile = 3\n");
  const Ran ran = run({"train"});
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_THAT(ran.err, HasSubstr("lockstep: lockstep.toml:2: --batch-size"));
  EXPECT_THAT(ran.err,
              HasSubstr("lockstep: lockstep.toml:3: --profile must be true or false, not '3'"));
  EXPECT_EQ(run({"models", "--json"}).exit_code(), 0);  // has neither
}

TEST_F(ConfigFiles, WorkersDoNotReadThemAgainAndTheResultSaysWhereValuesCameFrom) {
  working_file(
      "[train]\nmodel = 'trivial'\nbatch-size = 2\nnum-batches = 2\nthreads = 1\n"
      "optimizer = 'momentum'\n");
  const Ran ran = run({"train", "--num-devices=2", "--optimizer=sgd", "--result=r.json"},
                      {"LOCKSTEP_NUM_WARMUP_BATCHES=1"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult result = read_result((directory_ / "r.json").string());
  EXPECT_EQ(result.config.optimizer, "sgd");  // its default, which workers are not told
  EXPECT_EQ(result.config.num_warmup_batches, 1);
  EXPECT_THAT(result.provenance.settings, HasSubstr("batch-size=2 (lockstep.toml:3)"));
  EXPECT_THAT(result.provenance.settings,
              HasSubstr("num-warmup-batches=1 (LOCKSTEP_NUM_WARMUP_BATCHES)"));
  EXPECT_THAT(result.provenance.settings, Not(HasSubstr("optimizer")));
}

TEST_F(ConfigFiles, TheLineOverrulesWhatContradictsIt) {
  working_file("hosts = 'host1,host2'\nnodes = 2\nresult = 'r.json'\n");
  const Ran local = run({"train", "--launcher=local", "--show-config"});
  EXPECT_THAT(local.out, ContainsRegex("\nhosts +- +default\n"));
  EXPECT_THAT(local.out, ContainsRegex("\nnodes +- +default\n"));
  EXPECT_THAT(local.out, ContainsRegex("\nresult +r.json +lockstep.toml:3\n"));
  EXPECT_EQ(run({"train", "--launcher=local", "--hosts=host1"}).exit_code(), 2);
  const Ran json = run({"train", "--model=trivial", "--batch-size=2", "--num-batches=2",
                        "--threads=1", "--launcher=local", "--json"});
  EXPECT_EQ(json.exit_code(), 0) << json.err;
  EXPECT_THAT(json.out, HasSubstr("\"total_images_per_second\""));
  EXPECT_FALSE(fs::exists(directory_ / "r.json"));
  EXPECT_EQ(run({"train", "--json", "--result=r.json"}).exit_code(), 2);
}

TEST_F(ConfigFiles, TheLineOverrulesTheSameSaidInAnotherWay) {
  working_file("num-batches = 50\nhosts = 'host1'\nnum-devices = 4\n");
  const Ran epochs = run({"train", "--num-epochs=1", "--show-config"});
  EXPECT_THAT(epochs.out, ContainsRegex("\nnum-batches +- +default\n"));
  EXPECT_THAT(epochs.out, ContainsRegex("\nhosts +host1 +lockstep.toml:2\n"));
  const Ran workers = run({"train", "--worker-hosts=a:1,b:1", "--show-config"});
  EXPECT_THAT(workers.out, ContainsRegex("\nhosts +- +default\n"));
  EXPECT_THAT(workers.out, ContainsRegex("\nnum-devices +1 +default\n"));
  EXPECT_THAT(run({"train", "--worker-hosts=", "--show-config"}).out,
              ContainsRegex("\nhosts +host1 +lockstep.toml:2\n"));
  EXPECT_THAT(run({"train", "--program=my_program", "--show-config"}).out,
              ContainsRegex("\nhosts +- +default\n"));
  EXPECT_THAT(run({"sweep", "--num-epochs=1", "--show-config"}).out,
              ContainsRegex("\nnum-batches +- +default\n"));
}

TEST_F(ConfigFiles, AConflictSaysWhereItsValuesComeFrom) {
  working_file("num-batches = 50\nseed = 3\n");
  const Ran ran = run({"train", "--model=trivial"}, {"LOCKSTEP_NUM_EPOCHS=1"});
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_THAT(ran.err, HasSubstr("give one of them (set by lockstep.toml:1: num-batches=50; "
                                 "LOCKSTEP_NUM_EPOCHS: num-epochs=1)\n"));
}

TEST_F(ConfigFiles, OptionsAtTheTopAreNotForCommandsThatRefuseThem) {
  working_file("train-dir = 'checkpoints'\nresult = 'r.json'\n");
  EXPECT_EQ(run({"sweep", "--show-config"}).exit_code(), 0);
  working_file("[sweep]\ntrain-dir = 'checkpoints'\n");
  EXPECT_THAT(run({"sweep", "--show-config"}).err, HasSubstr("--train-dir: not supported"));
}

TEST_F(ConfigFiles, ASweepFileCountsMoreThanConfigurationAndLessThanTheLine) {
  working_file("[sweep]\nmodels = 'alexnet:4'\nrepeats = 9\n");
  std::ofstream(directory_ / "s.toml") << "models = ['trivial:2', 'lenet:2']\nnum_batches = 5\n";
  const Ran ran = run({"sweep", "s.toml", "--num-batches=3", "--show-config"});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("\nnum-batches +3 +command line\n"));
  EXPECT_THAT(ran.out, ContainsRegex("models +trivial:2,lenet:2 +s.toml:1\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\nrepeats +9 +lockstep.toml:3\n"));
}

}  // namespace
}  // namespace lockstep
