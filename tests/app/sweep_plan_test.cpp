// What a sweep would measure, and what it refuses.
#include <fstream>

#include "app/sweep_fixture.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Sweep, AllProblemsAreReportedBeforeAnythingRuns) {
  const Ran ran = run(sweep({"--num-devices=1", "--engine=native,steam", "--optimizer=sgd,magic"}));
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_THAT(ran.err, HasSubstr("magic"));
  const Ran engine = run(sweep({"--num-devices=1", "--engine=native,steam"}));
  EXPECT_EQ(engine.exit_code(), 2);
  EXPECT_THAT(engine.err, HasSubstr("steam"));
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "sweep"}).err, HasSubstr("no models given"));
  const Ran data = run(sweep({"--num-devices=1,2", "--data-dir=,/nowhere"}));
  EXPECT_EQ(data.exit_code(), 2);
  EXPECT_THAT(data.err, HasSubstr("--data-dir /nowhere: no such directory"));
  EXPECT_FALSE(fs::exists(results()));
}

TEST_F(Sweep, AFileGivesTheSamePlanAsTheCommandLine) {
  const std::string file = (directory_ / "sweep.toml").string();
  std::ofstream(file) << "models = ['trivial:2', 'lenet:2']\nnum-devices = [1, 2]\nrepeats = 2\n";
  const Ran listed = run({LOCKSTEP_PROGRAM, "sweep", file, "--dry-run", "--output", results()});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("4 runs, 2 launches each; 8 of 8 launches remain, about "));
  const Ran fewer =
      run({LOCKSTEP_PROGRAM, "sweep", file, "--dry-run", "--devices=1", "--output", results()});
  EXPECT_THAT(fewer.out, HasSubstr("2 runs, 2 launches each")) << fewer.err;
  EXPECT_FALSE(fs::exists(results()));
}

TEST_F(Sweep, EquivalentCombinationsAreOneRun) {
  const Ran listed = run(
      sweep({"--num-devices=2", "--repeats=1", "--dry-run", "--num-ps=1,2",
             "--variable-update=replicated,parameter_server", "--gradient-compression=none,fp16"}));
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("4 runs, 1 launch each"));
  const auto with_fp16 = [&](const char* strategies) {
    return run(sweep({"--num-devices=2", "--repeats=1", "--dry-run", "--gradient-compression=fp16",
                      strategies}));
  };
  const Ran one_uses_it = with_fp16("--variable-update=replicated,parameter_server");
  EXPECT_THAT(one_uses_it.out, HasSubstr("2 runs, 1 launch each")) << one_uses_it.err;
  EXPECT_THAT(one_uses_it.out,
              HasSubstr("variable-update=parameter_server gradient-compression=none"));
  const Ran refused = with_fp16("--variable-update=parameter_server,distributed_replicated");
  EXPECT_EQ(refused.exit_code(), 2);
  EXPECT_THAT(refused.err, HasSubstr("does not use --gradient-compression"));
}

TEST_F(Sweep, AListOfHostsIsSweptOverTheirNumber) {
  const Ran listed = run(sweep({"--hosts=a,b,c", "--repeats=1", "--dry-run"}));
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  for (const char* nodes : {"nodes=1", "nodes=2", "nodes=3"}) {
    EXPECT_THAT(listed.out, HasSubstr(nodes));
  }
  EXPECT_THAT(listed.out, HasSubstr("3 runs, 1 launch each"));
}

TEST_F(Sweep, ARunIsIdentifiedByItsHostsNotByTheirFile) {
  const auto listed = [&](const char* name, const std::vector<std::string>& more) {
    const std::string file = (directory_ / name).string();
    std::ofstream(file) << "a slots=1\nb slots=1\n";
    std::vector<std::string> words = sweep({"--repeats=1", "--dry-run", "--hosts=" + file});
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
    return ran.out;
  };
  const std::string once = listed("hosts", {});
  EXPECT_EQ(listed("machines", {"--ssh-option=Port=2222", "--ssh-option=User=me",
                                "--remote-dir=elsewhere", "--stall-timeout=9"}),
            once);
}

TEST_F(Sweep, UnsupportedOptionsAreRejectedWithAReason) {
  const Ran dir = run(sweep({"--train-dir=x"}));
  EXPECT_EQ(dir.exit_code(), 2);
  EXPECT_EQ(dir.err,
            "lockstep: --train-dir: not supported in a sweep, whose runs would resume from each "
            "other's checkpoints\n");
  EXPECT_THAT(run(sweep({"--job-name=worker"})).err, HasSubstr("starts all processes"));
  const std::string help = run({LOCKSTEP_PROGRAM, "sweep", "--help"}).out;
  for (const char* flag : {"\n      --train-dir", "\n      --eval ", "\n      --job-name"}) {
    EXPECT_THAT(help, Not(HasSubstr(flag)));
  }
  EXPECT_THAT(help, HasSubstr("For all runs:"));
  const Ran file = run({LOCKSTEP_PROGRAM, "sweep", "nosuch.toml"});
  EXPECT_EQ(file.exit_code(), 2);
  EXPECT_EQ(file.err, "lockstep: nosuch.toml: no such file\n");
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "sweep", directory_.string()}).err,
              HasSubstr("is a directory; give a sweep file"));
  const std::string twice = (directory_ / "twice.toml").string();
  std::ofstream(twice) << "models = 'trivial:2'\nrepeats = [3, 4]\n";
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "sweep", twice, "--dry-run"}).err,
              HasSubstr("twice.toml:2: repeats takes one value, not 2"));
}

TEST_F(Sweep, TheExampleCanBeRun) {
  const Ran listed = run({LOCKSTEP_PROGRAM, "sweep", LOCKSTEP_EXAMPLES "/sweeps/scaling.toml",
                          "--dry-run", "--output", results()});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("inception3:16 x2 native"));
}

TEST_F(Sweep, NamesOfTablesAreAcceptedInAnyCaseAndGiveTheSameRuns) {
  const Ran listed =
      run(sweep({"--num-devices=2", "--repeats=1", "--dry-run", "--variable-update=Replicated",
                 "--communicator=GLOO,gloo", "--optimizer=Momentum", "--launcher=LOCAL"}));
  EXPECT_EQ(listed.exit_code(), 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("1 run, 1 launch each"));
}

}  // namespace
}  // namespace lockstep
