#include "selftest/test_row.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "config/json.h"
#include "report/render/text_table.h"
#include "report/results/json_fields.h"

namespace lockstep {

namespace {

constexpr std::string_view kResults[] = {"pass", "FAIL", "-", "skipped"};
constexpr std::string_view kResultKeys[] = {"pass", "fail", "info", "skipped"};
constexpr size_t kShown = 5;  // of a row's mismatches

}  // namespace

template <>
struct JsonForm<TestResult> {
  static Json write(TestResult result) { return kResultKeys[static_cast<size_t>(result)]; }
  static void read(const Json& json, TestResult& result) {
    const auto* key = std::ranges::find(kResultKeys, json.get<std::string>());
    if (key == std::end(kResultKeys)) throw Error("unknown result {}", json.dump());
    result = static_cast<TestResult>(key - std::begin(kResultKeys));
  }
};

void fields(Like<Mismatch> auto& mismatch, auto&& visit) {
  visit("host", mismatch.host);
  visit("where", mismatch.where);
  visit("operation", mismatch.operation);
  visit("what", mismatch.what);
}

void fields(Like<PlaceDigest> auto& digest, auto&& visit) {
  visit("where", digest.where);
  visit("bits", digest.bits);
}

void fields(Like<TestRow> auto& row, auto&& visit) {
  visit("check", row.check);
  visit("host", row.host);
  visit("where", row.where);
  visit("result", row.result);
  visit("what", row.what);
  visit("mismatches", row.mismatches);
  visit("bytes_per_second", row.bytes_per_second);
  visit("digests", row.digests);
}

bool failed(std::span<const TestRow> rows) {
  return std::ranges::count(rows, TestResult::Fail, &TestRow::result) > 0;
}

Json rows_json(std::span<const TestRow> rows) {
  return JsonForm<std::vector<TestRow>>::write({rows.begin(), rows.end()});
}

std::vector<TestRow> rows_from_json(const Json& json) {
  std::vector<TestRow> rows;
  JsonForm<std::vector<TestRow>>::read(json, rows);
  return rows;
}

std::string rows_text(std::span<const TestRow> rows) {
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table(
      {{"result", kLeft}, {"check", kLeft}, {"host", kLeft}, {"where", kLeft}, {"", kLeft}});
  for (const TestRow& row : rows) {
    const auto result = kResults[static_cast<size_t>(row.result)];
    table.add({std::string(result), row.check, row.host, row.where, row.what});
    const size_t shown = std::min(kShown, row.mismatches.size());
    for (size_t i = 0; i < shown; ++i) {
      const Mismatch& each = row.mismatches[i];
      table.add({"", "", each.host, each.where, fmt::format("{}: {}", each.operation, each.what)});
    }
    if (shown < row.mismatches.size()) {
      table.add({"", "", "", "",
                 fmt::format("and {} more (--json lists all)", row.mismatches.size() - shown)});
    }
  }
  return table.text();
}

std::string failure_text(std::span<const TestRow> rows) {
  std::vector<std::string> parts;
  for (const TestRow& row : rows) {
    if (row.result != TestResult::Fail) continue;
    if (row.mismatches.empty()) {
      parts.push_back(fmt::format("{} {}: {}", row.host, row.check, row.what));
      continue;
    }
    const Mismatch& first = row.mismatches.front();
    parts.push_back(fmt::format("{} {} {}", first.host, first.where, first.operation));
    if (row.mismatches.size() > 1) {
      parts.back() += fmt::format(" and {} more", row.mismatches.size() - 1);
    }
  }
  if (parts.empty()) return "";
  return fmt::format("{} failed: {}", count_text(std::ssize(parts), "check"),
                     fmt::join(parts, "; "));
}

}  // namespace lockstep
