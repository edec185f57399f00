// What a sweep would measure, and what it refuses.
#include <fstream>

#include "app/sweep_fixture.h"
#include "measure/gpu_presence.h"
#include "support/paths.h"

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
  const Ran data = run(sweep({"--num-devices=1,2", "--data-dir=,/nowhere"}));
  EXPECT_EQ(data.exit_code(), 2);
  EXPECT_THAT(data.err, HasSubstr("--data-dir /nowhere: no such directory"));
  EXPECT_FALSE(fs::exists(results()));
}

TEST_F(Sweep, FlagsOfTfCnnBenchmarksAreIgnoredWithTheirReason) {
  const Ran ran = run(sweep({"--num-devices=1", "--local_parameter_device=cpu", "--mkl",
                             "--display_every=5", "--dry-run"}));
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: --local-parameter-device ignored: "));
  EXPECT_THAT(ran.err, HasSubstr("note: --mkl ignored: "));
  EXPECT_THAT(ran.err, HasSubstr("note: --display-every ignored: changes only what a single run"));
}

TEST_F(Sweep, GpuMeansTheCpuWhereThereIsNone) {
  if (gpus_present().count > 0) GTEST_SKIP() << "this host has a GPU";
  const Ran ran = run(sweep({"--num-devices=1", "--device=GPU", "--dry-run"}));
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: --device gpu: this host has no GPU; training on the CPU"));
}

TEST_F(Sweep, AnEngineThatIsNotBuiltIsReportedBeforeAnythingRuns) {
  std::vector<std::string> words = sweep({"--num-devices=1", "--device=cuda", "--dry-run"});
  fs::copy_file(words.front(), directory_ / "lockstep");
  words.front() = (directory_ / "lockstep").string();
  const Ran ran = run(words);
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_THAT(ran.err, HasSubstr("lockstep-torch is not built; './run torch' builds it"));
}

TEST_F(Sweep, OptionsThatChangeNothingAreNamed) {
  const Ran ran = run(sweep({"--num-devices=1,2", "--ml-perf=true", "--dry-run"}));
  EXPECT_EQ(ran.exit_code(), 0) << ran.err;
  const std::string note = "note: --ml-perf: ignored without --data-dir";
  EXPECT_THAT(ran.err, HasSubstr(note));
  EXPECT_EQ(ran.err.find(note), ran.err.rfind(note));  // once
}

TEST_F(Sweep, RunsThatExplainAddsNothingToAreNamedOnce) {
  const Ran none =
      run(sweep({"--num-devices=1,2", "--forward-only=true", "--explain", "--dry-run"}));
  EXPECT_EQ(none.exit_code(), 0) << none.err;
  const std::string note = "note: --explain adds no run without communication for --forward-only\n";
  EXPECT_THAT(none.err, HasSubstr(note));
  EXPECT_EQ(none.err.find(note), none.err.rfind(note));
  const Ran all = run(sweep({"--num-devices=1,2", "--explain", "--dry-run"}));
  EXPECT_THAT(all.err, Not(HasSubstr("without communication")));
  const Ran one = run(sweep({"--num-devices=1", "--forward-only=true", "--explain", "--dry-run"}));
  EXPECT_THAT(one.err, Not(HasSubstr("without communication"))) << "one device needs none";
}

TEST_F(Sweep, AFileGivesTheSamePlanAsTheCommandLine) {
  const std::string file = (directory_ / "sweep.toml").string();
  std::ofstream(file) << "models = ['trivial:2', 'lenet:2']\nnum-devices = [1, 2]\nrepeats = 2\n";
  const Ran listed = run({lockstep_program(), "sweep", file, "--dry-run", "--output", results()});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("4 runs, 2 launches each; 8 of 8 launches remain, about "));
  const Ran fewer =
      run({lockstep_program(), "sweep", file, "--dry-run", "--devices=1", "--output", results()});
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
  const std::string help = run({lockstep_program(), "sweep", "--help"}).out;
  for (const char* flag : {"\n      --train-dir", "\n      --eval ", "\n      --job-name"}) {
    EXPECT_THAT(help, Not(HasSubstr(flag)));
  }
  EXPECT_THAT(help, HasSubstr("For all runs:"));
  const Ran file = run({lockstep_program(), "sweep", "nosuch.toml"});
  EXPECT_EQ(file.exit_code(), 2);
  EXPECT_EQ(file.err, "lockstep: nosuch.toml: no such file\n");
  EXPECT_THAT(run({lockstep_program(), "sweep", directory_.string()}).err,
              HasSubstr("is a directory; give a sweep file"));
  const std::string twice = (directory_ / "twice.toml").string();
  std::ofstream(twice) << "models = 'trivial:2'\nrepeats = [3, 4]\n";
  EXPECT_THAT(run({lockstep_program(), "sweep", twice, "--dry-run"}).err,
              HasSubstr("twice.toml:2: --repeats takes one value, not 2"));
}

TEST_F(Sweep, AnUnknownAxisOfATableIsReportedBeforeAnythingRuns) {
  const Ran ran = run(sweep({"--pivot=devics,model"}));
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_EQ(ran.err, "lockstep: --pivot: unknown axis 'devics'; did you mean devices?\n");
}

TEST_F(Sweep, TheExamplesCanBeRun) {
  const auto listed = [&](const fs::path& file) {
    const Ran ran =
        run({lockstep_program(), "sweep", file.string(), "--dry-run", "--output", results()});
    EXPECT_EQ(ran.exit_code(), 0) << file << ran.err;
    return ran.out;
  };
  const fs::path examples = project_path("examples/sweeps");
  for (const auto& file : fs::directory_iterator(examples)) listed(file);
  EXPECT_THAT(listed(examples / "scaling.toml"), HasSubstr("inception3:16 x2 native"));
  EXPECT_THAT(listed(examples / "aws_g2.toml"), HasSubstr("inception3:8, alexnet:128"));
  EXPECT_THAT(listed(examples / "tensorpack.toml"),
              HasSubstr("synthetic-location: device, host, pipeline"));
}

TEST_F(Sweep, WithoutOptionsThePlanHasNetworksStrategiesAndAllDevices) {
  const Ran listed = run({lockstep_program(), "sweep", "--dry-run", "--max-devices=2", "--output",
                          results(), "--launcher=local"});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("plan: 8 runs, 3 launches each; 24 of 24 launches remain"));
  EXPECT_THAT(listed.out, HasSubstr("num-devices: 1, 2"));
  EXPECT_THAT(listed.out, HasSubstr("variable-update: parameter_server, replicated"));
  const Ran hosts =
      run({lockstep_program(), "sweep", "--hosts=a,b", "--dry-run", "--output", results()});
  EXPECT_THAT(hosts.out, HasSubstr("plan: 8 runs, 3 launches each")) << hosts.err;
  EXPECT_THAT(hosts.out, HasSubstr("nodes: 1, 2"));
}

TEST_F(Sweep, SlashesSeparateNamedValuesButNotPaths) {
  const Ran listed =
      run(sweep({"--num-devices=2", "--repeats=1", "--dry-run", "--synthetic-location=device/Host",
                 "--variable_update=replicated/parameter_server"}));
  EXPECT_EQ(listed.exit_code(), 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("plan: 4 runs, 1 launch each"));
  EXPECT_THAT(listed.out, HasSubstr("synthetic-location: device, host"));
  const Ran tensorpack = run(
      sweep({"--num-devices=1", "--repeats=1", "--dry-run", "--fake-location", "gpu/cpu/python"}));
  EXPECT_THAT(tensorpack.out, HasSubstr("synthetic-location: device, host, pipeline"))
      << tensorpack.err;
  const Ran path = run(sweep({"--num-devices=1", "--dry-run", "--data-dir=/no/where"}));
  EXPECT_THAT(path.err, HasSubstr("--data-dir /no/where: no such directory"));
}

TEST_F(Sweep, APresetGivesTheBatchSizes) {
  const auto listed = [&](const char* preset) {
    return run({lockstep_program(), "sweep", "--models", "Inceptionv3,Alexnet:16", "--batch-preset",
                preset, "--num-devices=1", "--dry-run", "--output", results()});
  };
  EXPECT_THAT(listed("aws-g2").out, HasSubstr("model:batch: inception3:8, alexnet:16"));
  const Ran wrong = listed("aws-g3");
  EXPECT_EQ(wrong.exit_code(), 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean aws-"));
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
