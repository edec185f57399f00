#include "launch/output_relay.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

TEST(OutputRelay, LogsThatCannotBeKeptAreToldOnceAndTheRunGoesOn) {
  const TemporaryDirectory directory;
  const std::filesystem::path& logs = directory.path();
  for (const char* name : {"rank-0-a.log", "rank-1-b.log"}) {
    std::filesystem::create_symlink("/dev/full", logs / name);
  }
  std::ostringstream out, err;
  Context context = {.out = out, .err = err};
  const std::vector<PlannedProcess> processes = {
      {.rank = 0, .role = "worker 0", .host = "a", .argv = {}},
      {.rank = 1, .role = "worker 1", .host = "b", .argv = {}}};
  OutputRelay relay(context, processes, {.log_dir = logs.string()});
  relay.hear(0, "one", false);
  relay.hear(1, "two", false);
  relay.hear(0, "three", false);
  EXPECT_EQ(out.str(), "one\nthree\n");
  EXPECT_EQ(err.str(),
            "note: the logs in " + logs.string() + " are not complete: No space left on device\n");
}

TEST(OutputRelay, AnInterruptionIsToldOnceByRank0OrByTheLauncher) {
  for (const bool by_rank_0 : {true, false}) {
    std::ostringstream out, err;
    Context context = {.out = out, .err = err};
    OutputRelay relay(context, {}, {});
    if (by_rank_0) relay.hear(0, "lockstep: interrupted after 3 of 10 timed steps", true);
    EXPECT_EQ(relay.since_interruption().has_value(), by_rank_0);
    relay.tell_of_interruption();
    EXPECT_EQ(err.str(),
              by_rank_0 ? "lockstep: interrupted after 3 of 10 timed steps\n"
                        : "lockstep: interrupted; nothing more was measured than is shown here\n");
  }
}

}  // namespace
}  // namespace lockstep
