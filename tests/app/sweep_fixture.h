// sweep_fixture.h: small sweeps of the real program, each in a directory of its own.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>

#include "support/paths.h"
#include "support/real_runs.h"
#include "support/temporary_directory.h"

namespace lockstep {

class Sweep : public ::testing::Test {
 protected:
  std::string results() const { return (directory_ / "out").string(); }

  std::vector<std::string> sweep(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {lockstep_program(),   "sweep",
                                      "--models=trivial:2", "--num-warmup-batches=1",
                                      "--num-batches=3",    "--output=" + results(),
                                      "--threads=1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static Ran run(std::vector<std::string> argv, const std::function<Next()>& poll = {}) {
    return run_really(std::move(argv), "", poll);
  }

  TemporaryDirectory temporary_;
  const std::filesystem::path directory_ = temporary_.path();
};

}  // namespace lockstep
