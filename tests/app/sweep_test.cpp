// Real sweeps of the real program, killed in earnest.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/random.h"
#include "launch/process.h"
#include "launch/run_commands.h"
#include "report/store.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Ran {
  PlanOutcome outcome;
  std::string out, err;
};

class Sweep : public ::testing::Test {
 protected:
  std::string results() const { return (directory_ / "out").string(); }

  std::vector<std::string> sweep(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {LOCKSTEP_PROGRAM,     "sweep",
                                      "--models=trivial:2", "--num-warmup-batches=1",
                                      "--num-batches=3",    "--output=" + results(),
                                      "--threads=1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static Ran run(std::vector<std::string> argv, const std::function<Next()>& poll = {}) {
    Ran ran;
    const Command command = {.name = "it", .argv = std::move(argv)};
    ran.outcome =
        run_commands(std::span(&command, 1),
                     {.time = Seconds(300), .grace = Seconds(60), .interrupted_grace = Seconds(60)},
                     {.line =
                          [&](const OutputLine& line) {
                            (line.from_stderr ? ran.err : ran.out) += line.text + "\n";
                            return Next::GoOn;
                          },
                      .poll = poll});
    return ran;
  }
  static int exit_code(const Ran& ran) { return ran.outcome.commands.at(0).status->code; }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
};

TEST_F(Sweep, MeasuresEveryCombinationAndASecondCallOnlyWhatIsMissing) {
  const Ran first = run(sweep({"--num-devices=1,2", "--repeats=2", "--best"}));
  ASSERT_EQ(first.outcome.end, RunEnd::Completed) << first.err;
  EXPECT_THAT(first.out, HasSubstr("efficiency"));
  EXPECT_THAT(first.out, HasSubstr("the only one"));
  const StoreContents contents = read_store(results());
  EXPECT_EQ(contents.runs.size(), 4u);
  for (const StoredRun& run : contents.runs) {
    EXPECT_EQ(read_raw(results(), run).steps.size(), 3u);
  }
  const Ran second = run(sweep({"--num-devices=1,2", "--repeats=3"}));
  ASSERT_EQ(second.outcome.end, RunEnd::Completed) << second.err;
  EXPECT_EQ(read_store(results()).runs.size(), 6u);
  const Ran report = run({LOCKSTEP_PROGRAM, "report", results()});
  ASSERT_EQ(report.outcome.end, RunEnd::Completed) << report.err;
  EXPECT_TRUE(fs::exists(results() + "/comparison_graph.svg"));
  EXPECT_TRUE(fs::exists(results() + "/csv_native/trivial_b2.csv.ideal"));
  const Ran same = run({LOCKSTEP_PROGRAM, "report", results(), "--baseline", results()});
  EXPECT_NE(exit_code(same), 1) << same.out;  // 2 where three launches are too few to tell
}

TEST_F(Sweep, LogsOfSeveralWorkersAreKeptBesideTheResults) {
  const Ran ran = run(sweep({"--num-devices=1,2", "--repeats=1"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  std::vector<fs::path> logs;
  for (const auto& entry : fs::recursive_directory_iterator(results() + "/logs")) {
    if (entry.is_regular_file()) logs.push_back(entry.path());
  }
  ASSERT_EQ(logs.size(), 2u) << "one worker has nobody to keep them";
  for (const StoredRun& run : read_store(results()).runs) {
    if (run.result.config.num_devices == 1) continue;
    EXPECT_EQ(logs.front().parent_path().filename(), fmt::format("{}-{}", run.id, run.repeat));
  }
}

// Kills whole process trees without mercy, at moments drawn at random.
TEST_F(Sweep, KilledAtAnyMomentNothingFinishedIsLost) {
  const RandomStream random(7, 1);
  size_t before = 0;
  for (uint64_t attempt = 0; attempt < 6; ++attempt) {
    const Command command = {.name = "it", .argv = sweep({"--num-devices=1", "--repeats=12"})};
    Process process(command);
    pollfd ended = {.fd = process.ended_descriptor(), .events = POLLIN, .revents = 0};
    poll(&ended, 1, 50 + static_cast<int>(900 * random.uniform(attempt)));
    kill(process.group(), SIGKILL);
    while (!process.try_reap()) poll(&ended, 1, 1000);
    if (!fs::exists(results() + "/results.jsonl")) continue;
    const StoreContents contents = read_store(results());
    EXPECT_GE(contents.runs.size(), before);
    before = contents.runs.size();
  }
  const Ran last = run(sweep({"--num-devices=1", "--repeats=12"}));
  ASSERT_EQ(last.outcome.end, RunEnd::Completed) << last.err;
  const StoreContents contents = read_store(results());
  EXPECT_THAT(contents.skipped, IsEmpty());
  std::map<int, int> repeats;
  for (const StoredRun& stored : contents.runs) {
    EXPECT_TRUE(stored.measured());
    ++repeats[stored.repeat];
  }
  EXPECT_EQ(repeats.size(), 12u);
  for (const auto& [repeat, count] : repeats) EXPECT_EQ(count, 1) << repeat;
}

TEST_F(Sweep, ARunThatWasMeasuredButNotStoredIsFoundAgain) {
  ASSERT_EQ(run(sweep({"--num-devices=1", "--repeats=2"})).outcome.end, RunEnd::Completed);
  const std::string started = read_store(results()).runs.at(1).result.started_at;
  std::ifstream in(results() + "/results.jsonl");
  std::string first;
  std::getline(in, first);
  std::ofstream(results() + "/results.jsonl") << first << "\n"
                                              << "{\"schema_version\":1,\"fa";
  ASSERT_EQ(run(sweep({"--num-devices=1", "--repeats=2"})).outcome.end, RunEnd::Completed);
  const StoreContents contents = read_store(results());
  ASSERT_EQ(contents.runs.size(), 2u);
  EXPECT_EQ(contents.runs[1].result.started_at, started);
}

TEST_F(Sweep, ASecondSweepInTheDirectoryIsRefused) {
  const Store held(results());
  const Ran ran = run(sweep({"--num-devices=1"}));
  EXPECT_EQ(exit_code(ran), 1);
  EXPECT_THAT(ran.err, HasSubstr("another sweep is running"));
}

TEST_F(Sweep, AFailedRunIsAResultAndTheSweepGoesOn) {
  const std::string program = (directory_ / "broken.toml").string();
  std::ofstream(program) << R"(description = "always breaks"
command = ["sh", "-c", "echo woe; exit 3", "{model}", "{batch_size}", "{num_batches}",
           "{num_warmup_batches}", "{threads}"]
start = "single"
[output]
total = '^total: (?P<value>\S+)'
)";
  const Ran ran = run(sweep({"--num-devices=1", "--repeats=2", "--program", program}));
  const bool ran_at_all = fs::exists(results() + "/results.jsonl");
  ASSERT_TRUE(ran_at_all) << ran.err;
  EXPECT_EQ(exit_code(ran), 1);
  const StoreContents contents = read_store(results());
  ASSERT_EQ(contents.runs.size(), 2u) << ran.err;
  EXPECT_FALSE(contents.runs[0].measured());
  EXPECT_THAT(*contents.runs[0].result.error, HasSubstr("exit code 3"));
  const Ran again = run(sweep({"--num-devices=1", "--repeats=2", "--program", program}));
  EXPECT_EQ(exit_code(again), 1) << "what failed has not been measured since";
  EXPECT_THAT(again.err, HasSubstr("2 launches failed; --retry-failed"));
  EXPECT_EQ(read_store(results()).runs.size(), 2u);
  const Ran report = run({LOCKSTEP_PROGRAM, "report", results()});
  EXPECT_EQ(exit_code(report), 0) << report.err;
  std::ifstream page(results() + "/report.html");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_THAT(text, HasSubstr("exit code 3"));
  EXPECT_THAT(text, HasSubstr("woe"));
  EXPECT_FALSE(fs::exists(results() + "/comparison_graph.svg"));
}

TEST_F(Sweep, CtrlCEndsItAndTheNextCallGoesOn) {
  bool asked = false;
  const Ran ran = run(sweep({"--num-devices=1", "--repeats=200"}), [&] {
    if (asked || !fs::exists(results() + "/results.jsonl")) return Next::GoOn;
    if (read_store(results()).runs.size() < 2) return Next::GoOn;
    asked = true;
    return Next::Stop;
  });
  EXPECT_EQ(ran.outcome.end, RunEnd::Interrupted);
  EXPECT_THAT(ran.err, HasSubstr("the same command goes on"));
  EXPECT_EQ(exit_code(ran), 130);
  EXPECT_LT(read_store(results()).runs.size(), 200u);
}

TEST_F(Sweep, EverythingWrongIsToldBeforeAnythingRuns) {
  const Ran ran = run(sweep({"--num-devices=1", "--engine=native,steam", "--optimizer=sgd,magic"}));
  EXPECT_EQ(exit_code(ran), 2);
  EXPECT_THAT(ran.err, HasSubstr("magic"));
  const Ran engine = run(sweep({"--num-devices=1", "--engine=native,steam"}));
  EXPECT_EQ(exit_code(engine), 2);
  EXPECT_THAT(engine.err, HasSubstr("steam"));
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "sweep"}).err, HasSubstr("say what to measure"));
  const Ran data = run(sweep({"--num-devices=1,2", "--data-dir=,/nowhere"}));
  EXPECT_EQ(exit_code(data), 2);
  EXPECT_THAT(data.err, HasSubstr("--data-dir /nowhere: there is no such directory"));
  EXPECT_FALSE(fs::exists(results()));
}

TEST_F(Sweep, AFileSaysTheSameAsTheCommandLine) {
  const std::string file = (directory_ / "sweep.toml").string();
  std::ofstream(file) << "models = ['trivial:2', 'lenet:2']\nnum-devices = [1, 2]\nrepeats = 2\n";
  const Ran listed = run({LOCKSTEP_PROGRAM, "sweep", file, "--dry-run", "--output", results()});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("4 runs, 2 launches each; 8 of 8 launches to go, in about "));
  const Ran fewer =
      run({LOCKSTEP_PROGRAM, "sweep", file, "--dry-run", "--devices=1", "--output", results()});
  EXPECT_THAT(fewer.out, HasSubstr("2 runs, 2 launches each")) << fewer.err;
  EXPECT_FALSE(fs::exists(results()));
}

TEST_F(Sweep, CombinationsThatMakeNoDifferenceAreOneRun) {
  const Ran listed = run(
      sweep({"--num-devices=2", "--repeats=1", "--dry-run", "--num-ps=1,2",
             "--variable-update=replicated,parameter_server", "--gradient-compression=none,fp16"}));
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("4 runs, 1 launches each"));
  const auto with_fp16 = [&](const char* strategies) {
    return run(sweep({"--num-devices=2", "--repeats=1", "--dry-run", "--gradient-compression=fp16",
                      strategies}));
  };
  const Ran one_uses_it = with_fp16("--variable-update=replicated,parameter_server");
  EXPECT_THAT(one_uses_it.out, HasSubstr("2 runs, 1 launches each")) << one_uses_it.err;
  EXPECT_THAT(one_uses_it.out,
              HasSubstr("variable-update=parameter_server gradient-compression=none"));
  const Ran refused = with_fp16("--variable-update=parameter_server,distributed_replicated");
  EXPECT_EQ(exit_code(refused), 2);
  EXPECT_THAT(refused.err, HasSubstr("has no use for --gradient-compression"));
}

TEST_F(Sweep, AListOfHostsIsSweptOverTheirNumber) {
  const Ran listed = run(sweep({"--hosts=a,b,c", "--repeats=1", "--dry-run"}));
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  for (const char* nodes : {"nodes=1", "nodes=2", "nodes=3"}) {
    EXPECT_THAT(listed.out, HasSubstr(nodes));
  }
  EXPECT_THAT(listed.out, HasSubstr("3 runs, 1 launches each"));
}

TEST_F(Sweep, ARunIsKnownByItsHostsNotByWhatTheirFileIsCalled) {
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

TEST_F(Sweep, WhatASweepCannotDoIsRefusedWithTheReason) {
  const Ran dir = run(sweep({"--train-dir=x"}));
  EXPECT_EQ(exit_code(dir), 2);
  EXPECT_EQ(
      dir.err,
      "lockstep: --train-dir: the runs of a sweep would go on from each other's checkpoints\n");
  EXPECT_THAT(run(sweep({"--job-name=worker"})).err, HasSubstr("starts all processes"));
  const std::string help = run({LOCKSTEP_PROGRAM, "sweep", "--help"}).out;
  for (const char* flag : {" --train-dir", " --eval ", "  --job-name"}) {
    EXPECT_THAT(help, Not(HasSubstr(flag)));
  }
  EXPECT_THAT(help, HasSubstr("For all runs:"));
  const Ran file = run({LOCKSTEP_PROGRAM, "sweep", "nosuch.toml"});
  EXPECT_EQ(exit_code(file), 2);
  EXPECT_EQ(file.err, "lockstep: there is no file nosuch.toml\n");
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "sweep", directory_.string()}).err,
              HasSubstr("is a directory; a sweep reads a file"));
  const std::string twice = (directory_ / "twice.toml").string();
  std::ofstream(twice) << "models = 'trivial:2'\nrepeats = [3, 4]\n";
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "sweep", twice, "--dry-run"}).err,
              HasSubstr("twice.toml:2: repeats takes one value, not 2"));
}

TEST_F(Sweep, TuneListsItsCandidatesAndWantsOneNetwork) {
  const Ran listed = run({LOCKSTEP_PROGRAM, "tune", "--model=trivial", "--num-devices=2",
                          "--gradient-compression=none", "--dry-run", "--threads=1"});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("variable-update=parameter_server"));
  EXPECT_THAT(listed.out, HasSubstr("all-reduce-spec=ring"));
  EXPECT_THAT(listed.out, HasSubstr("16 candidates"));
  const Ran alone =
      run({LOCKSTEP_PROGRAM, "tune", "--model=trivial", "--num-devices=1", "--dry-run"});
  ASSERT_EQ(alone.outcome.end, RunEnd::Completed) << alone.err;
  const Ran two = run({LOCKSTEP_PROGRAM, "tune", "--model=trivial,lenet"});
  EXPECT_EQ(exit_code(two), 2);
  EXPECT_THAT(two.err, HasSubstr("say which network to tune"));
}

TEST_F(Sweep, TuneEndsWithTheWinnersCommandLine) {
  const Ran ran =
      run({LOCKSTEP_PROGRAM, "tune", "--model=trivial", "--batch-size=2", "--num-devices=2",
           "--num-warmup-batches=1", "--num-batches=2", "--variable-update=replicated",
           "--gradient-compression=none", "--all-reduce-spec=ring", "--bucket-mb=1,2,4",
           "--threads=1", "--repeats=2", "--output=" + results()});
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("3 candidates, 1 launch each\n"));
  EXPECT_THAT(ran.err, HasSubstr("2 candidates, 2 launches each\n"));
  EXPECT_THAT(ran.out, HasSubstr("\nlockstep train --model=trivial --batch-size=2"));
  EXPECT_EQ(read_store(results()).runs.size(), 5u);
}

TEST_F(Sweep, TheExampleCanBeRun) {
  const Ran listed = run({LOCKSTEP_PROGRAM, "sweep", LOCKSTEP_EXAMPLES "/sweeps/scaling.toml",
                          "--dry-run", "--output", results()});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("inception3:16 x2 native"));
}

TEST_F(Sweep, EnoughPrecisionEndsTheLaunches) {
  const Ran ran = run(sweep({"--num-devices=1", "--precision=99%", "--repeats=200"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  const size_t launches = read_store(results()).runs.size();
  EXPECT_GE(launches, 3u);
  EXPECT_LT(launches, 200u);
  EXPECT_THAT(ran.err, Not(HasSubstr("was not reached")));
  const Ran listed =
      run(sweep({"--num-devices=1", "--precision=99%", "--repeats=200", "--dry-run"}));
  EXPECT_THAT(listed.out, HasSubstr("0 of 200 launches to go")) << listed.err;
}

TEST_F(Sweep, PrecisionThatWasNotReachedIsSaid) {
  const Ran ran = run(sweep({"--num-devices=1", "--precision=0.0001%", "--repeats=3"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: --precision 0.0001% was not reached: trivial:2 x1 native"));
}

TEST_F(Sweep, TuneOnHostsUsesAllOfThemAndLeavesTheirCoresToThem) {
  const Ran listed = run({LOCKSTEP_PROGRAM, "tune", "--model=trivial", "--hosts=a:2,b:2",
                          "--gradient-compression=none", "--dry-run"});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("variable-update=parameter_server"));
  EXPECT_THAT(listed.out, HasSubstr("num-ps=4"));
  EXPECT_THAT(listed.out, Not(HasSubstr("nodes=")));
  EXPECT_THAT(listed.out, Not(HasSubstr("threads=")));
}

TEST_F(Sweep, AReportTakesADirectoryOnce) {
  ASSERT_EQ(run(sweep({"--num-devices=1", "--repeats=1"})).outcome.end, RunEnd::Completed);
  const Ran report = run({LOCKSTEP_PROGRAM, "report", results(), results() + "/"});
  ASSERT_EQ(report.outcome.end, RunEnd::Completed) << report.err;
  EXPECT_THAT(report.err, HasSubstr("is given twice and counts once"));
  EXPECT_THAT(report.out, HasSubstr("1 launch: a confidence interval needs at least 3"));
  EXPECT_THAT(report.err, Not(HasSubstr("no single steps")));
  const std::string copy = (directory_ / "copy").string();
  fs::copy(results(), copy, fs::copy_options::recursive);
  const Ran copied = run({LOCKSTEP_PROGRAM, "report", results(), copy});
  EXPECT_THAT(copied.err, HasSubstr("1 of its launches are copies of others here"));
  EXPECT_THAT(copied.out, HasSubstr("1 launch: a confidence interval needs at least 3"));
  fs::remove_all(copy + "/runs");
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "report", copy}).err, HasSubstr("note: no single steps: "));
  EXPECT_THAT(report.out, HasSubstr("median step ms"));
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "report", results(), "--markdown", "--best"}).out,
              HasSubstr("| model | devices | best |"));
}

// For whom only the exit code speaks.
TEST_F(Sweep, ARunThatFailsWhereTheBaselineDidNotIsARegression) {
  const std::string old = (directory_ / "old").string();
  ASSERT_EQ(run(sweep({"--num-devices=1", "--repeats=1", "--output=" + old})).outcome.end,
            RunEnd::Completed);
  StoreContents contents = read_store(old);
  {
    Store store(results());
    StoredRun failed = contents.runs.front();
    failed.result.status = "failed";
    failed.result.error = "it broke";
    store.append(failed);
  }
  const Ran report = run({LOCKSTEP_PROGRAM, "report", results(), "--baseline", old});
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(report.out, HasSubstr("FAILED: it broke"));
}

}  // namespace
}  // namespace lockstep
