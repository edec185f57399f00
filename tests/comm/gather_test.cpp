#include "comm/gather.h"

#include <gmock/gmock.h>

#include "support/ranks.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr int kTextTag = kMostTag + 5;  // as in gather.cpp
constexpr uint64_t kTerabyte = uint64_t{1} << 40;
constexpr const char* kRefusal = "rank 1 announced a text of 1099511627776 bytes";

TEST(Gather, RefusesATextOfATerabyte) {
  const auto errors = find_rank_runner("local").run(2, {}, [](Communicator& comm) {
    if (comm.rank() == 0) return void(gather(comm, "", 0));
    comm.send_bytes(std::as_bytes(std::span(&kTerabyte, 1)), 0, kTextTag);
  });
  EXPECT_THAT(errors[0], HasSubstr(kRefusal));
}

TEST(AllGather, RefusesATextOfATerabyte) {
  const auto errors = find_rank_runner("local").run(2, {}, [](Communicator& comm) {
    if (comm.rank() == 0) return void(all_gather(comm, ""));
    uint64_t theirs = 0;
    comm.exchange_bytes({std::as_bytes(std::span(&kTerabyte, 1)), 0,
                         std::as_writable_bytes(std::span(&theirs, 1)), 0, kTextTag});
  });
  EXPECT_THAT(errors[0], HasSubstr(kRefusal));
}

}  // namespace
}  // namespace lockstep
