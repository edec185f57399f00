#include "cluster/ran.h"

#include <gtest/gtest.h>

namespace lockstep {

int Ran::exit_code() const {
  const auto& status = outcome.commands.front().status;
  return status && !status->by_signal ? status->code : -1;
}

Ran run_to_its_end(const std::vector<std::string>& argv,
                   const std::function<void()>& when_it_trains) {
  Ran ran;
  bool trains = false;
  const Command command = {.name = argv.front(), .argv = argv};
  ran.outcome = run_commands(std::span(&command, 1), {.time = Seconds(250)},
                             {.line = [&](const OutputLine& line) {
                               (line.from_stderr ? ran.err : ran.out) += line.text + "\n";
                               const bool speed = line.text.find("images/sec") != std::string::npos;
                               if (speed && !trains && when_it_trains) {
                                 trains = true;
                                 when_it_trains();
                               }
                               return Next::GoOn;
                             }});
  EXPECT_TRUE(trains || !when_it_trains) << ran.out << ran.err;
  return ran;
}

}  // namespace lockstep
