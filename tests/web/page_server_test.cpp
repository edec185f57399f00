#include "web/page_server.h"

#include <gmock/gmock.h>
#include <httplib.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <utility>

#include "base/error.h"
#include "config/run_id.h"
#include "report/results/live_state.h"
#include "report/results/results_store.h"
#include "support/temporary_directory.h"
#include "web/sweep_directories.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StoredRun made_run(double rate, int repeat = 0) {
  StoredRun run;
  run.result.config.model = run.result.facts.model = "alexnet";
  run.result.throughput.total_images_per_second = rate;
  run.repeat = repeat;
  run.id = run_id(run.result.config);
  return run;
}

// More patient than the library, for which a machine that stands still for some seconds is gone.
httplib::Client reader_of(const PageServer& server) {
  httplib::Client reader("127.0.0.1", server.port());
  reader.set_read_timeout(std::chrono::minutes(5));
  return reader;
}

class Serving : public ::testing::Test {
 protected:
  void SetUp() override { add("monday", 100); }

  void add(const std::string& sweep, double rate, int repeat = 0) {
    ResultsStore((root_ / sweep).string()).append(made_run(rate, repeat));
  }
  std::vector<std::string> roots() const { return {root_.string()}; }
  ServeOptions open() const { return {.roots = roots()}; }
  ServeOptions guarded() const { return {.roots = roots(), .token = "secret"}; }

  TemporaryDirectory temporary_;
  const fs::path root_ = temporary_.path();
};

TEST_F(Serving, ThePageHasTheResultsInside) {
  const PageServer server(open());
  httplib::Client reader = reader_of(server);
  const auto page = reader.Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->body, HasSubstr("\"rate\":100"));
  EXPECT_THAT(page->body, HasSubstr("\"live\":true"));
}

TEST_F(Serving, ASetIsFoundByNameAndNothingElseIs) {
  const PageServer server(open());
  httplib::Client reader = reader_of(server);
  EXPECT_THAT(reader.Get("/set?name=monday")->body, HasSubstr("\"rate\":100"));
  add("monday", 300, 1);
  EXPECT_THAT(reader.Get("/set?name=monday")->body, HasSubstr("\"rate\":150"));  // of both launches
  EXPECT_EQ(reader.Get("/set?name=../monday")->status, 404);
  EXPECT_EQ(reader.Get("/results.jsonl?set=/etc")->status, 404);
  EXPECT_EQ(reader.Get("/../../etc/passwd")->status, 404);
  EXPECT_THAT(reader.Get("/results.jsonl?set=monday")->body, HasSubstr("\"schema_version\""));
}

TEST_F(Serving, AForeignHostHeaderIsRejected) {
  const PageServer server(open());
  httplib::Client reader = reader_of(server);
  EXPECT_EQ(reader.Get("/", {{"Host", "evil.example:80"}})->status, 403);
  EXPECT_EQ(reader.Get("/", {{"Host", "127.0.0.1.evil.example:80"}})->status, 403);
  EXPECT_EQ(reader.Get("/", {{"Host", "localhost:8050"}})->status, 200);
}

TEST(ThisMachine, IsALoopbackAddressOrLocalhostAndNotAPrefixOfAName) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"}) {
    EXPECT_TRUE(is_this_machine(host)) << host;
  }
  for (const char* host : {"", "127.0.0.1.evil.example", "127.evil.example", "128.0.0.1", "0.0.0.0",
                           "localhost.evil.example", "::"}) {
    EXPECT_FALSE(is_this_machine(host)) << host;
  }
}

TEST_F(Serving, WithATokenNothingIsShownWithoutIt) {
  const PageServer server(guarded());
  httplib::Client reader = reader_of(server);
  for (const char* path : {"/", "/set?name=monday", "/results.jsonl?set=monday", "/events",
                           "/?token=secrets", "/?token=", "/?token=s"}) {
    EXPECT_EQ(reader.Get(path)->status, 403) << path;
  }
  const auto first = reader.Get("/?token=secret");
  EXPECT_EQ(first->status, 303);  // the token leaves the address
  const std::string cookie = first->get_header_value("Set-Cookie");
  EXPECT_THAT(cookie, HasSubstr("HttpOnly"));
  EXPECT_EQ(reader.Get("/", {{"Cookie", cookie.substr(0, cookie.find(';'))}})->status, 200);
}

TEST_F(Serving, EventsListTheSweeps) {
  const PageServer server(open());
  httplib::Client reader = reader_of(server);
  std::string heard;
  reader.Get("/events", [&](const char* text, size_t size) {
    heard.append(text, size);
    return heard.find("event: names") == std::string::npos;
  });
  EXPECT_THAT(heard, HasSubstr("event: changed\ndata: \"monday\""));
}

TEST_F(Serving, ANameThatIsNotUtf8IsListed) {
  add("tues\xff"
      "day",
      100);
  const PageServer server(open());
  httplib::Client reader = reader_of(server);
  std::string heard;
  reader.Get("/events", [&](const char* text, size_t size) {
    heard.append(text, size);
    return heard.find("event: names") == std::string::npos;
  });
  EXPECT_THAT(heard, HasSubstr("event: names"));
}

TEST_F(Serving, AFailingStreamEndsWithoutTheServer) {
  const PageServer server(open());
  httplib::Client reader = reader_of(server);
  bool first = true;
  reader.Get("/events", [&](const char*, size_t) {
    if (std::exchange(first, false)) fs::rename(root_, root_.string() + "-away");
    return true;  // stays until the stream ends
  });
  fs::rename(root_.string() + "-away", root_);
  EXPECT_EQ(reader.Get("/")->status, 200);
}

TEST_F(Serving, TheServerStopsWhileAClientListens) {
  auto server = std::make_unique<PageServer>(open());
  std::atomic<bool> listening = false;
  const std::jthread reader([&, port = server->port()] {
    httplib::Client("127.0.0.1", port).Get("/events", [&](const char*, size_t) {
      listening = true;
      listening.notify_all();
      return true;  // stays until the server goes
    });
    listening = true;
    listening.notify_all();
  });
  listening.wait(false);
  server.reset();
}

TEST_F(Serving, ALinkToResultsElsewhereIsNotServed) {
  const TemporaryDirectory elsewhere;
  ResultsStore(elsewhere.path().string()).append(made_run(7777));
  fs::create_directories(root_ / "tuesday");
  fs::create_symlink(elsewhere.path() / ResultsStore::kFile,
                     root_ / "tuesday" / ResultsStore::kFile);
  fs::create_directory_symlink(elsewhere.path(), root_ / "wednesday");
  const PageServer server(open());
  httplib::Client reader = reader_of(server);
  for (const char* set : {"tuesday", "wednesday"}) {
    EXPECT_EQ(reader.Get(std::string("/results.jsonl?set=") + set)->status, 404);
    EXPECT_EQ(reader.Get(std::string("/set?name=") + set)->status, 404);
  }
}

TEST_F(Serving, PipesInsteadOfFilesBlockNobody) {
  fs::create_directories(root_ / "tuesday");
  ASSERT_EQ(mkfifo((root_ / "tuesday" / ResultsStore::kFile).c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((root_ / "monday/progress.json").c_str(), 0600), 0);
  const PageServer server(open());
  httplib::Client reader = reader_of(server);
  EXPECT_EQ(reader.Get("/")->status, 200);
  EXPECT_EQ(reader.Get("/results.jsonl?set=tuesday")->status, 404);
  SweepNews news(roots());
  EXPECT_FALSE(news.look().empty());
}

TEST_F(Serving, APortInUseIsReported) {
  const PageServer server(open());
  ServeOptions same = open();
  same.port = server.port();
  EXPECT_THROW(PageServer{same}, Error);
}

TEST_F(Serving, ARootThatIsNotADirectoryIsReported) {
  EXPECT_THROW(PageServer({.roots = {(root_ / "nowhere").string()}}), Error);
}

std::vector<std::string> names(const std::vector<PageEvent>& events) {
  std::vector<std::string> result;
  for (const PageEvent& event : events) result.push_back(event.name + " " + event.data.dump());
  return result;
}

TEST_F(Serving, EachChangeIsSentOnce) {
  SweepNews news(roots());
  EXPECT_THAT(names(news.look()),
              ElementsAre("changed \"monday\"", "names [\"monday\"]", "running []"));
  EXPECT_THAT(news.look(), IsEmpty());
  add("monday", 120, 1);
  EXPECT_THAT(names(news.look()), ElementsAre("changed \"monday\""));
  add("tuesday", 120);
  const std::vector<PageEvent> events = news.look();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].data, "tuesday");
  EXPECT_EQ(events[1].data.size(), 2u);  // names
}

TEST_F(Serving, ARunningSweepIsListedUntilItEnds) {
  SweepNews news(roots());
  news.look();
  {
    LiveFile file((root_ / "monday").string());
    file.tell({.label = "alexnet:8 x1", .done = 2, .all = 5, .seconds_left = 61});
    const auto events = news.look();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].data[0]["label"], "alexnet:8 x1");
    EXPECT_EQ(events[0].data[0]["left"], "1:01");
  }
  EXPECT_THAT(names(news.look()), ElementsAre("running []"));
}

TEST_F(Serving, TheStateOfASweepIsWrittenThroughNoLink) {
  fs::create_symlink("elsewhere", root_ / "monday/progress.json.part");
  LiveFile file((root_ / "monday").string());
  file.tell({.label = "alexnet:8 x1"});
  EXPECT_FALSE(fs::exists(root_ / "monday/elsewhere"));
  EXPECT_TRUE(read_live_state((root_ / "monday").string()));
}

TEST_F(Serving, AKilledSweepIsNotListedAsRunning) {
  std::ofstream(root_ / "monday/progress.json")
      << R"({"label":"x","done":1,"all":2,"seconds_left":1,"host":"elsewhere","process":0})";
  EXPECT_FALSE(read_live_state((root_ / "monday").string()));
  std::ofstream(root_ / "monday/progress.json") << "[1, 2";
  EXPECT_FALSE(read_live_state((root_ / "monday").string()));
}

std::vector<std::string> sorted_names(const std::vector<std::string>& roots) {
  std::vector<std::string> result;
  for (const SweepDirectory& sweep : find_sweeps(roots)) result.push_back(sweep.name);
  std::ranges::sort(result);
  return result;
}

TEST_F(Serving, ASweepKeepsItsNameWhenOthersAreAdded) {
  for (const char* sweep : {"a/runs/x", "b/runs/x", "b/runs"}) add(sweep, 100);
  const std::string a = (root_ / "a/runs").string(), b = (root_ / "b/runs/").string();
  EXPECT_THAT(sorted_names({a, b}), ElementsAre("a/runs/x", "b/runs", "b/runs/x"));
  const auto place = [](const std::vector<SweepDirectory>& sweeps, const std::string& name) {
    return std::ranges::find(sweeps, name, &SweepDirectory::name)->path;
  };
  const std::string before = place(find_sweeps({a, b}), "a/runs/x");
  add("a/runs/x", 100, 1);  // is the newest now
  EXPECT_EQ(place(find_sweeps({b, a}), "a/runs/x"), before);
}

TEST_F(Serving, ADirectoryGivenTwiceIsListedOnce) {
  const std::string monday = (root_ / "monday").string();
  EXPECT_THAT(sorted_names({monday, monday + "/."}), ElementsAre("monday"));
  const std::string name = root_.filename().string();
  EXPECT_THAT(sorted_names({monday, root_.string()}), ElementsAre(name + "/monday"));
}

TEST_F(Serving, SweepsInADirectoryCalledRunsAreFoundButNotAmongRawFiles) {
  add("runs/tuesday", 100);
  add("logs/wednesday", 100);
  add("monday/runs/deep", 100);
  add("monday/logs/deep", 100);
  EXPECT_THAT(sorted_names({root_.string()}),
              ElementsAre("logs/wednesday", "monday", "runs/tuesday"));
}

TEST_F(Serving, ANestedSweepOfTheSameNameIsListedSeparately) {
  add("monday/monday", 100);
  EXPECT_THAT(sorted_names({(root_ / "monday").string()}), ElementsAre("./monday", "monday"));
}

TEST_F(Serving, NothingCanBePosted) {
  const PageServer server(open());
  httplib::Client reader = reader_of(server);
  EXPECT_EQ(reader.Post("/")->status, 405);
  EXPECT_EQ(reader.Delete("/set?name=monday")->status, 405);
  EXPECT_EQ(reader.Head("/")->status, 200);
}

TEST_F(Serving, AServerOnAllAddressesPrintsAReachableOne) {
  ServeOptions everywhere = guarded();
  everywhere.host = "0.0.0.0";
  EXPECT_THAT(PageServer(everywhere).url(), ::testing::Not(HasSubstr("0.0.0.0")));
  EXPECT_THAT(PageServer(open()).url(), HasSubstr("http://127.0.0.1:"));
}

}  // namespace
}  // namespace lockstep
