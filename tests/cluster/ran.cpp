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
                               return Next::Continue;
                             }});
  EXPECT_TRUE(trains || !when_it_trains) << ran.out << ran.err;
  return ran;
}

// A daemon leaves the group of who started it only a moment after that one has ended, and with a
// command its whole group ends: so the command stays until then.
std::vector<std::string> started_daemon(const std::string& pid_file,
                                        const std::vector<std::string>& argv) {
  std::vector<std::string> words = {
      "sh", "-c", "f=$1; shift; \"$@\" || exit; until [ -s \"$f\" ]; do sleep 0.05; done", "sh",
      pid_file};
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

}  // namespace lockstep
