// What another rank sent is read, or refused with a line that names the rank.
#include "run/peer_text.h"

#include <gmock/gmock.h>

#include <functional>

#include "run/gather_run.h"
#include "run/rank/rank_device.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::string complaint(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PeerText, WhatCannotBeReadNamesItsRank) {
  for (const std::string text : {"", "{", "[]", "{}", R"({"rank": 7})", R"({"host": 7})"}) {
    EXPECT_THAT(complaint([&] { worker_report_in(text, 3); }),
                HasSubstr("rank 3 sent the record of its run in a form that cannot be read"));
    EXPECT_THAT(complaint([&] { view_from_text(text, 3); }),
                HasSubstr("rank 3 sent its list of GPUs in a form that cannot be read"));
    EXPECT_THAT(complaint([&] { number_from_peer(3, "a size", text); }),
                HasSubstr("rank 3 sent a size in a form that cannot be read"));
  }
  EXPECT_THAT(complaint([] { number_from_peer(3, "a size", "-1"); }), HasSubstr("rank 3"));
  EXPECT_EQ(number_from_peer(3, "a size", "12"), 12);
}

TEST(PeerText, CommandsNoTerminal) {
  read_from_peer(0, "a text", R"(["\u001b[2J"])",
                 [](const Json& json) { EXPECT_EQ(json.at(0), "?[2J"); });
}

}  // namespace
}  // namespace lockstep
