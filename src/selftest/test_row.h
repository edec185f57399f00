// test_row.h: what a self-test found: rows of its table, and every wrong result by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/json_fwd.h"

namespace lockstep {

// A result that is not what it must be.
struct Mismatch {
  std::string host;
  std::string where;      // "core 3", "cuda:1", "rank 2"
  std::string operation;  // "Conv3x3Stride1SameFrom16x13x13To32"
  std::string what;       // "gradient of middle/kernel is off by 0.02 (limit 0.0001)"
};

enum class TestResult {
  Pass,
  Fail,
  Info,     // a measurement without a right answer
  Skipped,  // `what` says why
};

// Of all bits that a core or device computed.
struct PlaceDigest {
  std::string where;
  uint64_t bits = 0;  // 0: something was wrong already
};

struct TestRow {
  std::string check;  // "operations avx2"
  std::string host;
  std::string where;  // "cores 0-3"
  TestResult result = TestResult::Pass;
  std::string what = {};  // "109 operations, 2 passes, same bits on every core"
  std::vector<Mismatch> mismatches = {};
  double bytes_per_second = 0;            // of a bandwidth
  std::vector<PlaceDigest> digests = {};  // of operations
};

bool failed(std::span<const TestRow> rows);

Json rows_json(std::span<const TestRow> rows);
std::vector<TestRow> rows_from_json(const Json& json);

// The table; below a row that failed, its wrong results.
std::string rows_text(std::span<const TestRow> rows);
// One line on all that failed, with hosts, places and operations. Empty: nothing did.
std::string failure_text(std::span<const TestRow> rows);

}  // namespace lockstep
