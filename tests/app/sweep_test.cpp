// Real sweeps of the real program, killed in earnest.
#include <fmt/format.h>
#include <poll.h>

#include <csignal>
#include <fstream>
#include <map>

#include "app/sweep_fixture.h"
#include "base/random.h"
#include "process/process.h"
#include "report/results/results_store.h"
#include "support/file_text.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(Sweep, MeasuresEveryCombinationAndASecondCallOnlyWhatIsMissing) {
  const Ran first = run(sweep({"--num-devices=1,2", "--repeats=2", "--best"}));
  ASSERT_EQ(first.outcome.end, RunEnd::Completed) << first.err;
  EXPECT_THAT(first.out, HasSubstr("scaling efficiency"));
  EXPECT_THAT(first.out, HasSubstr("only configuration"));
  const StoreContents contents = read_store(results());
  EXPECT_EQ(contents.runs.size(), 4u);
  for (const StoredRun& run : contents.runs) {
    EXPECT_EQ(read_raw(results(), run).steps.size(), 3u);
  }
  const Ran second = run(sweep({"--num-devices=1,2", "--repeats=3"}));
  ASSERT_EQ(second.outcome.end, RunEnd::Completed) << second.err;
  EXPECT_EQ(read_store(results()).runs.size(), 6u);
  EXPECT_THAT(second.err, HasSubstr("resuming: 4 of 6 launches done\n"));
  const std::string files = fmt::format(
      "results: {0}/results.jsonl, {0}/comparison_graph.svg, {0}/report.html, {0}/csv_native/\n",
      results());
  EXPECT_TRUE(second.out.ends_with(files)) << second.out;
  const std::string page = file_text(results() + "/report.html");
  EXPECT_TRUE(fs::exists(results() + "/comparison_graph.svg"));
  EXPECT_TRUE(fs::exists(results() + "/csv_native/trivial_b2.csv.ideal"));
  const Ran report = run({lockstep_program(), "report", results()});
  ASSERT_EQ(report.outcome.end, RunEnd::Completed) << report.err;
  EXPECT_EQ(file_text(results() + "/report.html"), page) << "'lockstep report' writes the same";
  const Ran same = run({lockstep_program(), "report", results(), "--baseline", results()});
  EXPECT_NE(same.exit_code(), 1) << same.out;  // 2 where three launches are too few to tell
}

TEST_F(Sweep, MessagesToAClosedStderrAreNotInTheResults) {
  std::vector<std::string> words = {"sh", "-c", R"(exec "$@" 2>&-)", "sh"};
  for (const std::string& word : sweep({"--num-devices=1", "--repeats=1"})) words.push_back(word);
  const Ran ran = run(std::move(words));
  EXPECT_EQ(ran.exit_code(), 0) << ran.out;
  const StoreContents contents = read_store(results());
  EXPECT_EQ(contents.runs.size(), 1u);
  EXPECT_THAT(contents.skipped, IsEmpty());
}

TEST_F(Sweep, EndsWithATableByTwoAxesIfAsked) {
  const Ran ran = run(sweep({"--num-devices=1", "--repeats=1", "--fake-location=gpu/cpu",
                             "--pivot=devices,synthetic_location"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("by devices and synthetic-location:\ndevices +device +host\n"
                                     "1 +[0-9]"));
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
    EXPECT_EQ(logs.front().parent_path().filename(), run.id + "-launch1");
    EXPECT_THAT(ran.err, HasSubstr("#1"));
    EXPECT_EQ(run.raw_file, "runs/" + run.id + "-launch1.json");
  }
}

// Kills whole process trees without mercy, at moments drawn at random.
TEST_F(Sweep, AKillAtAnyMomentLosesNoFinishedLaunch) {
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
  const ResultsStore held(results());
  const Ran ran = run(sweep({"--num-devices=1"}));
  EXPECT_EQ(ran.exit_code(), 1);
  EXPECT_THAT(ran.err, HasSubstr("another sweep is running"));
}

TEST_F(Sweep, AFailedRunIsAResultAndTheSweepContinues) {
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
  EXPECT_EQ(ran.exit_code(), 1);
  const StoreContents contents = read_store(results());
  ASSERT_EQ(contents.runs.size(), 2u) << ran.err;
  EXPECT_FALSE(contents.runs[0].measured());
  EXPECT_THAT(*contents.runs[0].result.error, HasSubstr("exit code 3"));
  const Ran again = run(sweep({"--num-devices=1", "--repeats=2", "--program", program}));
  EXPECT_EQ(again.exit_code(), 1) << "what failed has not been measured since";
  EXPECT_THAT(again.err, HasSubstr("2 launches failed; --retry-failed"));
  EXPECT_EQ(read_store(results()).runs.size(), 2u);
  const Ran retried =
      run(sweep({"--num-devices=1", "--repeats=2", "--program", program, "--retry-failed"}));
  EXPECT_THAT(retried.err, HasSubstr("lockstep: 2 launches failed;"));
  EXPECT_EQ(read_store(results()).runs.size(), 4u);
  EXPECT_THAT(retried.out, HasSubstr("/report.html"));
  const std::string text = file_text(results() + "/report.html");
  EXPECT_THAT(text, HasSubstr("exit code 3"));
  EXPECT_THAT(text, HasSubstr("woe"));
  EXPECT_FALSE(fs::exists(results() + "/comparison_graph.svg"));
}

TEST_F(Sweep, CtrlCEndsASweepAndTheNextCallResumes) {
  bool asked = false;
  const Ran ran = run(sweep({"--num-devices=1", "--repeats=5000"}), [&] {
    if (asked || !fs::exists(results() + "/results.jsonl")) return Next::Continue;
    if (read_store(results()).runs.size() < 2) return Next::Continue;
    asked = true;
    return Next::Stop;
  });
  EXPECT_EQ(ran.outcome.end, RunEnd::Interrupted);
  EXPECT_THAT(ran.err, HasSubstr("the same command resumes"));
  EXPECT_EQ(ran.exit_code(), 130);
  EXPECT_THAT(ran.out, HasSubstr("/report.html"));
  EXPECT_TRUE(fs::exists(results() + "/csv_native/trivial_b2.csv"));
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
  EXPECT_THAT(listed.out, HasSubstr("0 of 200 launches remain")) << listed.err;
}

TEST_F(Sweep, PrecisionThatWasNotReachedIsReported) {
  const Ran ran = run(sweep({"--num-devices=1", "--precision=0.0001%", "--repeats=3"}));
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: --precision 0.0001% was not reached: trivial:2 x1 native"));
}

}  // namespace
}  // namespace lockstep
