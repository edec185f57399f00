#include "selftest/compare_hosts.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/text.h"
#include "config/json.h"

namespace lockstep {
namespace {

// What must be equal for bits to be equal.
std::string kind_of(const TestRow& row, const Json& hosts) {
  const Json facts = hosts.value(row.host, Json::object());
  std::string kind =
      row.check + facts.value("cpu_model", Json()).dump() + facts.value("isa", Json()).dump();
  if (row.where.starts_with("cores")) return kind;
  std::set<std::string> names;
  for (const Json& gpu : facts.value("gpus", Json::array())) names.insert(gpu.value("name", ""));
  for (const std::string& name : names) kind += name;
  // Which of different GPUs of a host it was is not known.
  return names.size() > 1 ? kind + row.host + row.where : kind;
}

using Counts = std::map<uint64_t, int64_t>;

// The bits of more than half of the cores; 0: there are none.
uint64_t majority_of(const Counts& counts) {
  int64_t all = 0;
  for (const auto& [bits, count] : counts) all += count;
  for (const auto& [bits, count] : counts) {
    if (2 * count > all) return bits;
  }
  return 0;
}

}  // namespace

void compare_hosts(std::vector<TestRow>& rows, const Json& hosts) {
  std::map<std::string, Counts> kinds;
  for (const TestRow& row : rows) {
    for (const PlaceDigest& digest : row.digests) {
      if (digest.bits != 0) ++kinds[kind_of(row, hosts)][digest.bits];
    }
  }
  for (TestRow& row : rows) {
    if (row.digests.empty()) continue;
    const uint64_t usual = majority_of(kinds[kind_of(row, hosts)]);
    for (const PlaceDigest& digest : row.digests) {
      if (usual == 0 || digest.bits == 0 || digest.bits == usual) continue;
      row.result = TestResult::Fail;
      row.mismatches.push_back({row.host, digest.where, "all operations together",
                                "other bits than on most cores with this processor"});
      row.what = count_text(std::ssize(row.mismatches), "wrong result");
    }
  }
}

}  // namespace lockstep
