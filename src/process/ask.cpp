#include "process/ask.h"

#include "process/run_commands.h"

namespace lockstep {

CommandAnswer ask(const std::vector<std::string>& argv, Seconds patience) {
  CommandAnswer answer;
  std::string last_words;
  const Command command = {.name = argv.front(), .argv = argv};
  const PlanOutcome outcome = run_commands(std::span(&command, 1), {.time = patience},
                                           {.line = [&](const OutputLine& line) {
                                             if (!line.from_stderr)
                                               answer.lines.push_back(line.text);
                                             if (!line.text.empty()) last_words = line.text;
                                             return Next::Continue;
                                           }});
  answer.found = outcome.commands.front().status.has_value();
  answer.well = outcome.end == RunEnd::Completed;
  if (!answer.well) answer.complaint = last_words.empty() ? outcome.why : last_words;
  return answer;
}

}  // namespace lockstep
