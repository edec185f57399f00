#include "report/results/results_store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "config/run_id.h"
#include "support/file_size_limit.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreTest : public ::testing::Test {
 protected:
  static StoredRun made(int repeat) {
    StoredRun run = {.id = "abc", .repeat = repeat, .raw_file = "runs/abc.json"};
    run.result.throughput.total_images_per_second = 10 + repeat;
    run.result.steps.resize(3);
    return run;
  }
  void add_text(const std::string& text) {
    std::ofstream(file(), std::ios::app | std::ios::binary) << text;
  }
  std::string file() const { return directory_ + "/" + ResultsStore::kFile; }

  TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path().string();
};

TEST_F(StoreTest, ALineThatNestsDeeplyIsIgnoredWithANote) {
  ResultsStore(directory_).append(made(0));
  add_text(std::string(200'000, '[') + "\n");
  add_text(R"({"schema_version":)" + std::string(200'000, '[') + "\n");
  add_text("null\n");
  const StoreContents contents = read_store(directory_);
  EXPECT_EQ(contents.runs.size(), 1u);
  EXPECT_THAT(contents.skipped,
              ElementsAre(HasSubstr("line 2 ignored"), HasSubstr("line 3 ignored"),
                          HasSubstr("line 4 ignored")));
  EXPECT_EQ(ResultsStore(directory_).contents().runs.size(), 1u) << "a sweep resumes";
}

TEST_F(StoreTest, AResultThatIsNoObjectIsRefused) {
  for (const std::string& text :
       {std::string("null"), std::string("[1]"), std::string(200'000, '[')}) {
    std::ofstream(directory_ + "/r.json") << text;
    EXPECT_THROW(read_result(directory_ + "/r.json"), UsageError);
  }
}

TEST_F(StoreTest, ARawFileOutsideTheDirectoryIsNotRead) {
  const TemporaryDirectory elsewhere;
  write_result(elsewhere.path("secret.json"), made(0).result);
  fs::create_directory(directory_ + "/runs");
  fs::create_symlink(elsewhere.path("secret.json"), directory_ + "/runs/link.json");
  fs::create_directory_symlink(elsewhere.path(), directory_ + "/elsewhere");
  const std::string up = "../" + elsewhere.path().filename().string() + "/secret.json";
  for (const std::string& raw : {up, elsewhere.path("secret.json"), std::string("runs/link.json"),
                                 std::string("elsewhere/secret.json"), std::string(".")}) {
    StoredRun run = made(0);
    run.raw_file = raw;
    EXPECT_THROW(read_raw(directory_, run), Error) << raw;
  }
  write_result(directory_ + "/runs/abc.json", made(0).result);
  EXPECT_EQ(read_raw(directory_, made(0)).steps.size(), 3u);
}

TEST_F(StoreTest, APipeInsteadOfARawFileIsRefusedWithoutWaiting) {
  fs::create_directory(directory_ + "/runs");
  ASSERT_EQ(mkfifo((directory_ + "/runs/abc.json").c_str(), 0600), 0);
  EXPECT_THROW(read_raw(directory_, made(0)), UsageError);
}

TEST_F(StoreTest, APipeInsteadOfTheFileIsRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_THROW(ResultsStore{directory_}, Error);
  EXPECT_THROW(read_store(directory_, {}), UsageError);
}

TEST_F(StoreTest, AnAppendedResultIsReadWithoutItsSamples) {
  {
    ResultsStore store(directory_);
    store.append(made(0));
    store.append(made(1));
  }
  const StoreContents contents = read_store(directory_);
  ASSERT_EQ(contents.runs.size(), 2u);
  EXPECT_THAT(contents.skipped, IsEmpty());
  EXPECT_EQ(contents.runs[1].repeat, 1);
  EXPECT_EQ(contents.runs[1].raw_file, "runs/abc.json");
  EXPECT_DOUBLE_EQ(contents.runs[1].result.throughput.total_images_per_second, 11);
  EXPECT_THAT(contents.runs[1].result.steps, IsEmpty());
}

TEST_F(StoreTest, ASecondWriterIsRefused) {
  const ResultsStore store(directory_);
  EXPECT_THROW(ResultsStore second(directory_), Error);
}

TEST_F(StoreTest, AReaderIgnoresInvalidLinesWithANote) {
  {
    ResultsStore store(directory_);
    store.append(made(0));
  }
  add_text("hello\n{\"schema_version\": 99}\n[1, 2]\n{\"schema_version\":1,\"summary\":3}\n");
  { ResultsStore(directory_).append(made(1)); }
  add_text("{\"schema_version\": 1, \"run");
  const StoreContents contents = read_store(directory_);
  EXPECT_EQ(contents.runs.size(), 2u);
  EXPECT_THAT(contents.skipped,
              ElementsAre(HasSubstr("line 2 ignored: it is not JSON"),
                          HasSubstr("line 3 ignored: it is a result of schema 99"),
                          HasSubstr("line 4 ignored: it is not a result"),
                          HasSubstr("line 5 ignored: it is not a result"),
                          HasSubstr("line 7 ignored: it is incomplete")));
}

TEST_F(StoreTest, ADuplicateLaunchCountsOnce) {
  add_text(stored_line(made(0)) + stored_line(made(1)) + stored_line(made(0)));
  StoredRun again = made(1);
  again.result.started_at = "another time";
  add_text(stored_line(again));
  const StoreContents contents = read_store(directory_);
  EXPECT_EQ(contents.runs.size(), 3u);
  EXPECT_THAT(contents.skipped,
              ElementsAre(HasSubstr("line 3 ignored: it repeats the launch of line 1")));
}

TEST_F(StoreTest, AnOptionOfALaterVersionIsNamed) {
  std::string line = stored_line(made(0));
  line.replace(line.find("\"config\":{"), 10, "\"config\":{\"warp\":9,");
  add_text(line);
  EXPECT_THAT(
      read_store(directory_).skipped,
      ElementsAre(HasSubstr("line 1 ignored: it was written by another version of lockstep: "
                            "a run has no option 'warp'")));
}

TEST_F(StoreTest, AKeyOfSomebodyElseDoesNotCommandTheTerminal) {
  add_text(R"({"schema_version":1,"facts":{},"config":{"\u001b]0;x\u0007\nb":1}})"
           "\n");
  EXPECT_THAT(read_store(directory_).skipped,
              ElementsAre(HasSubstr("a run has no option '?]0;x??b'")));
}

TEST_F(StoreTest, AVersionThatIsNoNumberIsNotRepeated) {
  add_text(R"({"schema_version":")" + std::string(100'000, 'x') + "\"}\n");
  EXPECT_THAT(read_store(directory_).skipped,
              ElementsAre(HasSubstr("line 1 ignored: it is not a result")));
}

TEST_F(StoreTest, AnEndlessNameIsCutInTheNote) {
  add_text(R"({"schema_version":1,"facts":{},"config":{")" + std::string(100'000, 'x') +
           "\":1}}\n");
  const StoreContents contents = read_store(directory_);
  ASSERT_EQ(contents.skipped.size(), 1u);
  EXPECT_LT(contents.skipped.front().size(), 2000u);
}

TEST_F(StoreTest, ALongerLineThanOursIsIgnoredWithANoteAndNoWriterContinuesIt) {
  const std::string long_line((64 << 20) + 1, ' ');
  EXPECT_THAT(runs_in(long_line + "\n" + stored_line(made(0)), "file").skipped,
              ElementsAre("file: line 1 ignored: it is longer than 67.1 MB"));
  add_text(long_line);
  ResultsStore(directory_).append(made(0));
  EXPECT_EQ(read_store(directory_).runs.size(), 1u);
}

TEST_F(StoreTest, AWriterFollowsNoLink) {
  std::ofstream(directory_ + "/elsewhere").flush();
  fs::create_symlink("elsewhere", file());
  EXPECT_THROW(ResultsStore{directory_}, UsageError);
  EXPECT_TRUE(fs::is_empty(directory_ + "/elsewhere"));
}

TEST_F(StoreTest, AWriterCutsOffAPartialLineAndContinues) {
  { ResultsStore(directory_).append(made(0)); }
  add_text("{\"schema_version\": 1, \"run");
  { ResultsStore(directory_).append(made(1)); }
  const StoreContents contents = read_store(directory_);
  EXPECT_EQ(contents.runs.size(), 2u);
  EXPECT_THAT(contents.skipped, IsEmpty());
}

TEST_F(StoreTest, ALineThatLacksOnlyItsNewlineIsKept) {
  { ResultsStore(directory_).append(made(0)); }
  fs::resize_file(file(), fs::file_size(file()) - 1);
  EXPECT_EQ(read_store(directory_).runs.size(), 1u);
  { ResultsStore(directory_).append(made(1)); }
  EXPECT_EQ(read_store(directory_).runs.size(), 2u);
}

TEST_F(StoreTest, AStoreThatCannotBeRepairedIsNotLeftLocked) {
  { ResultsStore(directory_).append(made(0)); }
  fs::resize_file(file(), fs::file_size(file()) - 1);
  {
    const FileSizeLimit full(fs::file_size(file()));
    try {
      const ResultsStore store(directory_);
      FAIL() << "its last line has no end, and none can be written";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("cannot repair"));
    }
  }
  EXPECT_EQ(ResultsStore(directory_).contents().runs.size(), 1u);
}

// Whatever the moment of the cut, the lines before it survive.
TEST_F(StoreTest, EveryCutOfTheFileKeepsTheLinesBeforeIt) {
  { ResultsStore(directory_).append(made(0)); }
  const auto first = fs::file_size(file());
  { ResultsStore(directory_).append(made(1)); }
  std::ifstream in(file(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (size_t length = first; length <= whole.size(); length += 97) {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    const ResultsStore store(directory_);
    EXPECT_GE(store.contents().runs.size(), 1u) << length;
    EXPECT_THAT(store.contents().skipped, IsEmpty()) << length;
  }
}

TEST_F(StoreTest, OutputOfAProgramNeedNotBeUtf8) {
  StoredRun run = made(0);
  run.last_lines = {"caf\xe9"};
  { ResultsStore(directory_).append(run); }
  EXPECT_EQ(read_store(directory_).runs.size(), 1u);
}

TEST_F(StoreTest, ADirectoryWithoutResultsIsNamed) { EXPECT_THROW(read_store(directory_), Error); }

// Files say launch 1 where progress lines say #1. Older stores have "repeat" from 0.
TEST_F(StoreTest, LaunchesCountFromOneAndOlderStoresStayReadable) {
  ResultsStore(directory_).append(made(1));
  std::string text;
  std::getline(std::ifstream(file()) >> std::ws, text);
  EXPECT_THAT(text, HasSubstr("\"launch\":2"));
  text.replace(text.find("\"launch\":2"), 10, "\"repeat\":1");
  std::ofstream(file()) << text << "\n";
  EXPECT_EQ(read_store(directory_).runs.at(0).repeat, 1);
}

}  // namespace
}  // namespace lockstep
