#include "comm/all_reduce_rules.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "comm/algorithms.h"
#include "comm/chunk.h"
#include "comm/forwarding.h"

namespace lockstep {
namespace {

struct Choice {
  int64_t up_to_bytes;
  const AllReduceAlgorithm* algorithm;
  int shards;
};

class RuledCommunicator : public ForwardingCommunicator {
 public:
  RuledCommunicator(std::unique_ptr<Communicator> inner, const AllReduceRules& rules)
      : ForwardingCommunicator(std::move(inner)) {
    for (const AllReduceRule& rule : rules) {
      choices_.push_back(
          {rule.up_to_bytes, &find_all_reduce_algorithm(rule.algorithm), rule.shards});
    }
  }

  void all_reduce(std::span<float> data) override {
    const auto bytes = static_cast<int64_t>(data.size_bytes());
    const Choice& choice = *std::find_if(choices_.begin(), choices_.end(),
                                         [&](const Choice& c) { return bytes <= c.up_to_bytes; });
    if (scratch_.size() < data.size()) scratch_.resize(data.size());
    for (int shard = 0; shard < choice.shards; ++shard) {
      choice.algorithm->run({.comm = inner(),
                             .data = chunk(data, shard, choice.shards),
                             .scratch = scratch_,
                             .root = shard * size() / choice.shards});
    }
  }

 private:
  std::vector<Choice> choices_;
  std::vector<float> scratch_;  // grows to the largest bucket in the first step
};

}  // namespace

std::vector<std::string> problems_in(const AllReduceRules& rules) {
  std::vector<std::string> problems;
  int64_t previous = -1;
  for (const AllReduceRule& rule : rules) {
    if (rule.shards < 1) problems.push_back(fmt::format("{} shards; use at least 1", rule.shards));
    if (rule.up_to_bytes <= previous) {
      problems.push_back(fmt::format("limit of {} bytes is not above the previous one ({})",
                                     rule.up_to_bytes, previous));
    }
    previous = rule.up_to_bytes;
    try {
      find_all_reduce_algorithm(rule.algorithm);
    } catch (const UsageError& error) {
      problems.emplace_back(error.what());
    }
  }
  if (!rules.empty() && previous != AllReduceRule{}.up_to_bytes) {
    problems.emplace_back("the last all-reduce rule must have no limit");
  }
  return problems;
}

std::unique_ptr<Communicator> with_rules(std::unique_ptr<Communicator> inner,
                                         const AllReduceRules& rules) {
  const auto problems = problems_in(rules);
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "; "));
  if (rules.empty()) return inner;
  return std::make_unique<RuledCommunicator>(std::move(inner), rules);
}

}  // namespace lockstep
