#include "comm/all_reduce_spec.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

struct SpecName {
  std::string_view name;
  std::string_view algorithm;
  bool per_host;
  int most_shards;
};

constexpr int kMostShards = 1024;
constexpr SpecName kNames[] = {
    {"xring", "ring", false, kMostShards},
    {"pscpu", "tree", false, kMostShards},
    {"psgpu", "tree", false, kMostShards},
    {"nccl", "native", false, 1},
    {"collective", "native", false, 2},
    {"nccl/xring", "ring", true, kMostShards},
    {"nccl/rechd", "halving_doubling", true, kMostShards},
    {"nccl/pscpu", "tree", true, kMostShards},
    {"pscpu/pscpu", "tree", true, kMostShards},
    {"ring", "ring", false, kMostShards},
    {"halving_doubling", "halving_doubling", false, kMostShards},
    {"tree", "tree", false, kMostShards},
    {"native", "native", false, 1},
};

std::optional<int64_t> limit_of(std::string text) {
  constexpr std::string_view kUnits = "kMGT";
  int64_t unit = 1;
  if (!text.empty() && text.back() == 'K') text.back() = 'k';
  const size_t place = text.empty() ? std::string::npos : kUnits.find(text.back());
  if (place != std::string::npos) {
    unit = int64_t{1} << (10 * (place + 1));
    text.pop_back();
  }
  const auto number = whole_number(text);
  if (!number || *number < 1 || *number > (int64_t{1} << 60) / unit) return {};
  return *number * unit;
}

// The shortest way to write a number of elements.
std::string limit_text(int64_t elements) {
  constexpr std::string_view kUnits = "kMGT";
  std::string unit;
  for (size_t place = 0; place < kUnits.size() && elements % 1024 == 0; ++place) {
    elements /= 1024;
    unit = kUnits[place];
  }
  return fmt::to_string(elements) + unit;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  AllReduceSpec parsed() {
    const std::vector<std::string> parts = split(text_, ':');
    if (parts.size() % 2 == 0) fail("use RANGE[:LIMIT:RANGE]...");
    for (size_t i = 0; i < parts.size(); i += 2) {
      AllReduceRule rule = range(parts[i]);
      if (i + 1 < parts.size()) rule.up_to_bytes = bytes_limit(parts[i + 1]);
      spec_.rules.push_back(rule);
    }
    const auto problems = problems_in(spec_.rules);
    if (!problems.empty()) fail(problems.front());
    return spec_;
  }

 private:
  AllReduceRule range(const std::string& part) {
    const size_t hash = part.find('#');
    const std::string name = part.substr(0, hash);
    const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const SpecName& row) { return row.name == name; });
    if (found == std::end(kNames)) fail_unknown(name);
    spec_.per_host |= found->per_host;
    AllReduceRule rule{.algorithm = std::string(found->algorithm)};
    if (hash == std::string::npos) return rule;
    const auto shards = whole_number(part.substr(hash + 1));
    if (!shards || *shards < 1 || *shards > found->most_shards) {
      fail(fmt::format("'{}' needs a whole number from 1 to {} after #", part, found->most_shards));
    }
    rule.shards = static_cast<int>(*shards);
    return rule;
  }

  int64_t bytes_limit(const std::string& part) {
    const auto elements = limit_of(part);
    if (!elements)
      fail(fmt::format("'{}' is not a number of elements such as 4096, 32k or 2M", part));
    return *elements * static_cast<int64_t>(sizeof(float));
  }

  [[noreturn]] void fail_unknown(const std::string& name) {
    std::vector<std::string_view> names;
    for (const SpecName& row : kNames) names.push_back(row.name);
    fail(fmt::format("unknown algorithm '{}'; use one of {}", name, fmt::join(names, ", ")));
  }

  [[noreturn]] void fail(const std::string& problem) {
    throw UsageError("--all-reduce-spec '{}': {}", text_, problem);
  }

  const std::string& text_;
  AllReduceSpec spec_;
};

}  // namespace

AllReduceSpec parse_all_reduce_spec(const std::string& text) { return Parser(text).parsed(); }

std::string spec_text(const AllReduceRules& rules) {
  std::string text;
  for (size_t i = 0; i < rules.size(); ++i) {
    text += rules[i].algorithm;
    if (rules[i].shards > 1) text += fmt::format("#{}", rules[i].shards);
    if (i + 1 == rules.size()) break;
    text +=
        fmt::format(":{}:", limit_text(rules[i].up_to_bytes / static_cast<int64_t>(sizeof(float))));
  }
  return text;
}

}  // namespace lockstep
