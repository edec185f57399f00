#include "app/options.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "comm/mpi.h"
#include "launch/family_options.h"
#include "nn/optimizer.h"
#include "support/paths.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

RunConfig parsed(const Words& words) {
  RunConfig run;
  parse({.command = "train", .summary = "", .flags = run_flags(run)}, words);
  return run;
}

Words problems(const Words& words) {
  try {
    parsed(words);
  } catch (const UsageError& error) {
    return split(error.what(), '\n');
  }
  return {};
}

TEST(Options, ValuesFollowAnEqualsSignOrASpace) {
  EXPECT_EQ(parsed({"--model=vgg16"}).model, "vgg16");
  EXPECT_EQ(parsed({"--model", "vgg16"}).model, "vgg16");
  EXPECT_EQ(parsed({"-m", "vgg16", "-b", "32"}).batch_size, 32);
}

TEST(Options, DashesAndUnderscoresAreEqual) {
  EXPECT_EQ(parsed({"--batch_size=32"}).batch_size, 32);
  EXPECT_EQ(parsed({"--num_warmup-batches", "3"}).num_warmup_batches, 3);
  EXPECT_EQ(parsed({"--variable_update=parameter_server"}).variable_update, "parameter_server");
  EXPECT_EQ(parsed({"--result=my_file.json"}).result, "my_file.json");
}

TEST(Options, SwitchesGoOnAndOff) {
  EXPECT_TRUE(parsed({"--profile"}).profile);
  EXPECT_TRUE(parsed({"--profile=True"}).profile);
  EXPECT_TRUE(parsed({"--forward_only"}).forward_only);
  for (const char* off : {"--noprofile", "--no-profile", "--no_profile", "--profile=false"}) {
    EXPECT_FALSE(parsed({"--profile", off}).profile) << off;
  }
}

TEST(Options, TheLastOfTwoCounts) {
  EXPECT_EQ(parsed({"--batch-size=1", "--batch-size=2"}).batch_size, 2);
  EXPECT_TRUE(parsed({"--noprofile", "--profile"}).profile);
}

TEST(Options, AFlagWithManyValuesReceivesEachOfThem) {
  Words told;
  const CommandSyntax syntax = {
      .command = "x",
      .summary = "",
      .flags = {{.name = "axis",
                 .value_name = "V",
                 .help = "",
                 .set = [&](const std::string& text) { told.push_back(text); },
                 .many = true}},
      .positional = Positional{.name = "FILE", .help = "", .set = [&](const std::string& text) {
                                 told.push_back(text);
                               }}};
  parse(syntax, Words{"--axis", "1,2", "file", "--axis=3"});
  EXPECT_EQ(told, (Words{"1,2", "3", "file"}));
}

TEST(Options, OldNamesStillWork) {
  EXPECT_EQ(parsed({"--num_gpus=3"}).num_devices, 3);
  EXPECT_EQ(parsed({"--num_intra_threads=2"}).threads, 2);
  EXPECT_EQ(parsed({"--tf_random_seed=9"}).seed, 9);
}

TEST(Options, TheLineOfTheScalabilityScriptIsRead) {
  const RunConfig run =
      parsed({"-m", "inceptionv3", "-h", "nodes", "-r", "/tmp/", "-n", "2", "-g", "2", "-b", "32"});
  EXPECT_EQ(run, (RunConfig{.model = "inceptionv3",
                            .batch_size = 32,
                            .num_devices = 2,
                            .hosts = "nodes",
                            .nodes = 2,
                            .remote_dir = "/tmp/"}));
}

TEST(Options, ProblemsOfFlagFilesAreReportedWithTheOthers) {
  EXPECT_THAT(problems({"--flagfile=/nowhere/flags", "--batch-size=x"}),
              UnorderedElementsAre(HasSubstr("--flagfile: cannot read /nowhere/flags"),
                                   HasSubstr("--batch-size")));
}

TEST(Options, AFamilysValueThatIsNearlyAnotherGetsThat) {
  EXPECT_THAT(problems({"--variable-update", "replicate"})[0],
              HasSubstr("not 'replicate'; did you mean replicated?"));
  EXPECT_THAT(problems({"--variable_update=replicated/parameter_server"}),
              ::testing::ElementsAre(
                  "--variable-update takes one value, not 'replicated/parameter_server'; "
                  "'lockstep sweep' measures lists of values"));
}

TEST(Options, NegativeNumbersAreValues) {
  EXPECT_EQ(problems({"--init-learning-rate", "-1"}),
            (Words{"--init-learning-rate must be a number of at least 0, not '-1'"}));
}

TEST(Options, AnUnknownNameGetsTheClosestOne) {
  EXPECT_EQ(problems({"--bacth-size", "32"}),
            (Words{"unknown option --bacth-size; did you mean --batch-size?"}));
  EXPECT_EQ(problems({"--optimiser=adam"}),
            (Words{"unknown option --optimiser; did you mean --optimizer?"}));
  EXPECT_EQ(problems({"--zzzzzzzzzzzzzzz"}),
            (Words{"unknown option --zzzzzzzzzzzzzzz; 'lockstep train --help' lists them"}));
}

// The value of an unknown flag looks like one word too many.
TEST(Options, AnUnknownFlagIsNamedWhereACommandTakesAWord) {
  const auto complaint = [](const Words& words) -> std::string {
    const auto ignore = [](const std::string&) {};
    const CommandSyntax syntax = {
        .command = "x",
        .summary = "",
        .flags = {{.name = "classes", .value_name = "N", .help = "", .set = ignore}},
        .positional = Positional{.name = "TARGET", .help = "", .set = ignore}};
    try {
      parse(syntax, words);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const std::string unknown = "unknown option --clases; did you mean --classes?";
  EXPECT_EQ(complaint({"d", "--clases", "5"}), unknown);
  EXPECT_EQ(complaint({"--clases", "5", "d"}), unknown);
  EXPECT_EQ(complaint({"d", "--classes", "5"}), "");
  EXPECT_EQ(complaint({"d", "e"}), "'lockstep x' takes one TARGET, not 2: d, e");
}

TEST(Options, WordsThatBelongToNoOptionAreRefused) {
  EXPECT_EQ(problems({"--profile", "nothing"}),
            (Words{"unexpected argument 'nothing'; give values as --name value or "
                   "--name=value"}));
}

TEST(Options, AWordThatIsANetworkGetsItsOption) {
  EXPECT_EQ(problems({"LeNet"}), Words{"unexpected argument 'LeNet'; did you mean --model LeNet?"});
  EXPECT_THAT(problems({"nowhere.toml"})[0], HasSubstr("give values as"));
  const std::string file = project_path("examples/networks/alexnet.toml");
  EXPECT_THAT(problems({file})[0], HasSubstr("did you mean --model " + file + "?"));
}

TEST(Options, AMissingValueIsNamed) {
  EXPECT_EQ(problems({"--model"}), (Words{"--model needs a value"}));
}

TEST(Options, AnEmptyListOfHostsIsNotThisMachine) {
  EXPECT_EQ(problems({"--hosts", ""}), Words{"--hosts is empty; leave it out or name hosts"});
  EXPECT_EQ(problems({"-h", ""}), Words{"--hosts is empty; leave it out or name hosts"});
  EXPECT_EQ(parsed({"--ps-hosts", ""}).ps_hosts, "");
  EXPECT_EQ(parsed({"--worker-hosts="}).worker_hosts, "");  // as tf_cnn_benchmarks has it
}

TEST(Options, AllProblemsOfALineAreReported) {
  EXPECT_THAT(
      problems({"--batch-size=x", "--seed=-1", "--modle=lenet"}),
      UnorderedElementsAre(AllOf(HasSubstr("--batch-size"), HasSubstr("x")),
                           AllOf(HasSubstr("--seed"), HasSubstr("-1")), HasSubstr("--modle")));
}

TEST(Options, HelpNamesEveryOptionOfEveryGroup) {
  RunConfig run;
  const CommandSyntax syntax = {.command = "train", .summary = "", .flags = run_flags(run)};
  const std::string help = help_text(syntax);
  for (const RunOption& option : run_options()) {
    if (option.details.internal) continue;
    EXPECT_NE(help.find("--" + option.name), std::string::npos) << option.name;
    EXPECT_NE(help.find(option.group + ":\n"), std::string::npos) << option.group;
  }
  for (const std::string& line : split(help, '\n')) EXPECT_LE(line.size(), 120u) << line;
  EXPECT_EQ(parse(syntax, Words{"--help"}), Parsed::Help);
  EXPECT_EQ(parse(syntax, Words{"-h"}), Parsed::Help);
  EXPECT_EQ(parse(syntax, Words{"-h", "--model=lenet"}), Parsed::Help);
  EXPECT_EQ(parse(syntax, Words{"--helpfull"}), Parsed::Help);
  EXPECT_THAT(help, HasSubstr("-h, --hosts FILE|LIST"));
  EXPECT_THAT(help, HasSubstr("-h without a word after it"));
}

// Whoever adds a row to one of these tables adds a choice.
TEST(Options, ChoicesAreTheRowsOfTheTables) {
  const std::pair<const char*, const char*> refusals[] = {
      {"optimizer", "one of sgd, momentum, rmsprop, adam, not 'x'"},
      {"launcher", "one of auto, ssh, slurm, mpirun, local, not 'x'"},
      {"communicator",
       has_mpi() ? "one of auto, shm, gloo, hierarchical, mpi, hierarchical_mpi, nccl, not 'x'"
                 : "one of auto, shm, gloo, hierarchical, nccl, not 'x'"}};
  for (const auto& [option, refusal] : refusals) {
    RunConfig run;
    try {
      set_option(run, *find_option(option), "x");
      ADD_FAILURE() << option;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(refusal));
    }
  }
  for (const StrategyKind& kind : strategies()) {
    RunConfig run;
    set_option(run, *find_option("variable-update"), std::string(kind.name));
    EXPECT_EQ(run.variable_update, kind.name);
  }
  EXPECT_EQ(flag_value_name(*find_option("optimizer")), "sgd|momentum|rmsprop|adam");
}

}  // namespace
}  // namespace lockstep
