// workers_fixture.h: several real processes of the real program on this machine.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "process/ports.h"
#include "support/paths.h"
#include "support/real_runs.h"
#include "support/temporary_directory.h"

namespace lockstep {

class Workers : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  Ran run(std::vector<std::string> argv) const {
    return run_really(std::move(argv), directory_.string());
  }

  static std::vector<std::string> train(const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        lockstep_program(),         "train",           "--model=lenet",
        "--batch-size=4",           "--num-batches=6", "--num-warmup-batches=2",
        "--init-learning-rate=1e-7"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static std::string contents(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static std::string two_free_addresses() {
    const std::vector<int> ports = free_ports(2);
    return fmt::format("127.0.0.1:{},127.0.0.1:{}", ports[0], ports[1]);
  }

  // Two workers that are started one by one, each with words of its own, and what they say.
  struct TwoByHand {
    PlanOutcome outcome;
    std::string said;
  };
  static TwoByHand train_by_hand(
      const std::function<std::vector<std::string>(const std::string& index)>& own_words) {
    const std::string hosts = two_free_addresses();
    std::vector<Command> plan;
    for (const std::string index : {"0", "1"}) {
      std::vector<std::string> words = own_words(index);
      words.insert(words.begin(),
                   {"--job-name=worker", "--task-index", index, "--worker-hosts", hosts});
      plan.push_back({.name = "worker " + index, .argv = train(words)});
    }
    TwoByHand result;
    result.outcome =
        run_commands(plan, {.time = Seconds(300)}, {.line = [&](const OutputLine& line) {
                       result.said += line.text + "\n";
                       return Next::Continue;
                     }});
    return result;
  }

  TemporaryDirectory temporary_;
  const std::filesystem::path directory_ = temporary_.path();
};

}  // namespace lockstep
