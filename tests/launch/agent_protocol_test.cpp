#include "launch/agent_protocol.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "config/json.h"

namespace lockstep {
namespace {

TEST(AgentProtocol, AJobSurvivesTheRoundTripThroughJson) {
  const AgentJob job = {.ranks = {2, 3},
                        .size = 4,
                        .command = "train",
                        .arguments = {"--model=it's; $(x)", "--result=a\nb"},
                        .version = "1.2",
                        .token = "secret",
                        .keeps_store = true,
                        .store_port = 2222,
                        .directory = "some where"};
  const std::string line = job_to_json(job).dump();
  EXPECT_EQ(line.find('\n'), std::string::npos) << "a job is one line";
  const AgentJob there = job_from_json(Json::parse(line));
  EXPECT_EQ(job_to_json(there), job_to_json(job));
  EXPECT_EQ(there.arguments, job.arguments);
  EXPECT_EQ(there.ranks, job.ranks);
  EXPECT_TRUE(there.keeps_store);
}

TEST(AgentProtocol, ALineIsKindNameAndUnchangedText) {
  const AgentLine said = parse_agent_line("out 12 two  spaces stay ");
  EXPECT_EQ(said.kind, "out");
  EXPECT_EQ(said.name, "12");
  EXPECT_EQ(said.text, "two  spaces stay ");
  EXPECT_EQ(parse_agent_line("stop").kind, "stop");
  EXPECT_EQ(parse_agent_line("store 4711").name, "4711");
  EXPECT_EQ(parse_agent_line("").kind, "");
}

TEST(Base64, EveryByteAndEveryLengthComesBack) {
  std::string bytes;
  for (int i = 0; i < 259; ++i) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes) << i;
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, FollowsRfc4648) {  // RFC 4648, section 10
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, InvalidTextIsRejected) { EXPECT_THROW(from_base64("ab c"), Error); }

TEST(AgentJob, IsRefusedInAClearLineIfItIsDamagedOrNotUtf8) {
  for (const char* line : {"", "{", "null", "[]", "{}", "{\"ranks\": 1}"}) {
    EXPECT_THROW(job_in(line), Error) << line;
  }
  EXPECT_THROW(job_in(std::string(200'000, '[')), Error);
  AgentJob job;
  job.arguments = {"--data-dir=\xff"};
  EXPECT_THROW(text_of(job), UsageError);
}

}  // namespace
}  // namespace lockstep
