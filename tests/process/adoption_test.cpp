#include "process/adoption.h"

#include <gtest/gtest.h>

#include "process/processes.h"
#include "process/run_commands.h"

namespace lockstep {
namespace {

TEST(Adoption, KillsProcessesThatStartedTheirOwnSession) {
  pid_t left_behind = 0;
  {
    const Adoption adoption;
    const Command program[] = {
        {.name = "program",
         .argv = {"/bin/sh", "-c", "setsid sh -c 'echo $$; exec sleep 1000 >&- 2>&-'& wait"}}};
    run_commands(program, {.grace = Seconds(0.3)}, {.line = [&](const OutputLine& line) {
                   left_behind = std::stoi(line.text);
                   return Next::Stop;
                 }});
    ASSERT_GT(left_behind, 0);
    EXPECT_FALSE(has_ended(left_behind));
  }
  EXPECT_TRUE(has_ended(left_behind));
}

}  // namespace
}  // namespace lockstep
