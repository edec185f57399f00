#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "support/ranks.h"

namespace lockstep {

const RankRunner& find_rank_runner(const std::string& name) {
  const auto runners = rank_runners();
  const auto found = std::find_if(runners.begin(), runners.end(),
                                  [&](const RankRunner& runner) { return runner.name == name; });
  if (found == runners.end()) throw Error("no runner '{}'", name);
  return *found;
}

void run_ranks(const std::string& runner, int ranks, const RankFunction& rank,
               const CommOptions& options) {
  if (ranks > most_ranks()) return;
  SCOPED_TRACE(fmt::format("{} with {} ranks", runner, ranks));
  const auto errors = find_rank_runner(runner).run(ranks, options, rank);
  for (size_t i = 0; i < errors.size(); ++i) {
    EXPECT_EQ(errors[i], "") << "rank " << i;
  }
}

}  // namespace lockstep
