#include "selftest/operation_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>

#include "base/fnv1a.h"
#include "base/printable.h"
#include "base/text.h"
#include "selftest/expected_step.h"

namespace lockstep {
namespace {

// What one core, or one device, computed.
struct PlaceReport {
  std::string where;              // "core 3"
  std::vector<uint64_t> digests;  // of the first pass, by operation; 0: it failed already
  std::vector<Mismatch> mismatches;
};

class PlaceTest {
 public:
  PlaceTest(const OperationTest& test, std::string where, std::span<const ExpectedStep> steps)
      : test_(test),
        steps_(steps),
        report_{.where = std::move(where), .digests = {}, .mismatches = {}} {
    report_.digests.resize(steps.size());
  }

  PlaceReport run() {
    for (int pass = 0; pass < test_.passes; ++pass) {
      for (size_t i = 0; i < steps_.size(); ++i) check(i, pass);
    }
    return std::move(report_);
  }

 private:
  void check(size_t operation, int pass) {
    const ExpectedStep& expected = steps_[operation];
    uint64_t& digest = report_.digests[operation];
    if (pass > 0 && digest == 0) return;  // once is enough
    try {
      ActualStep actual =
          take_step(expected, {.make = test_.make, .device = test_.device, .dtype = test_.dtype});
      if (pass + 1 == test_.passes) inject(expected.network.name, actual);
      const uint64_t bits = digest_of(actual);
      if (const auto wrong = difference(expected, actual, test_.dtype)) {
        complain(operation, *wrong);
      } else if (pass == 0) {
        digest = bits;
      } else if (bits != digest) {
        complain(operation, fmt::format("other bits in pass {} than in pass 1", pass + 1));
      }
    } catch (const std::exception& error) {  // the others are tested all the same
      complain(operation, message_of(error));
    }
  }

  void inject(const std::string& operation, ActualStep& actual) const {
    if (!test_.fault.hits(test_.host, report_.where, operation)) return;
    flip_lowest_bit(actual.gradients.front().front());
  }

  void complain(size_t operation, const std::string& what) {
    report_.digests[operation] = 0;
    report_.mismatches.push_back({test_.host, report_.where, steps_[operation].network.name, what});
  }

  const OperationTest& test_;
  std::span<const ExpectedStep> steps_;
  PlaceReport report_;
};

std::vector<PlaceReport> run_places(const OperationTest& test,
                                    std::span<const ExpectedStep> steps) {
  if (test.device != "cpu") return {PlaceTest(test, test.device, steps).run()};
  std::vector<PlaceReport> reports(test.cores.size());
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < test.cores.size(); ++i) {
    threads.emplace_back([&, i] {
      bind_this_thread({test.cores[i]});
      reports[i] = PlaceTest(test, fmt::format("core {}", test.cores[i]), steps).run();
    });
  }
  threads.clear();  // joins
  return reports;
}

// The bits that most places have of an operation; 0: no two agree, or there is only one.
uint64_t usual_digest(std::span<const PlaceReport> reports, size_t operation) {
  std::map<uint64_t, int> counts;
  for (const PlaceReport& report : reports) {
    if (report.digests[operation] != 0) ++counts[report.digests[operation]];
  }
  uint64_t usual = 0;
  int most = 1;
  for (const auto& [digest, count] : counts) {
    if (count > most) {
      usual = digest;
      most = count;
    }
  }
  return counts.size() == 1 ? counts.begin()->first : usual;
}

void compare_places(std::span<const ExpectedStep> steps, std::vector<PlaceReport>& reports,
                    const std::string& host) {
  for (size_t operation = 0; operation < steps.size(); ++operation) {
    const uint64_t usual = usual_digest(reports, operation);
    for (PlaceReport& report : reports) {
      const uint64_t own = report.digests[operation];
      if (own == 0 || own == usual) continue;
      report.mismatches.push_back({host, report.where, steps[operation].network.name,
                                   usual ? "other bits than on most cores"
                                         : "the cores differ, and none is in the majority"});
    }
  }
}

// Of all operations together.
PlaceDigest place_digest(const PlaceReport& report) {
  Fnv1a hash;
  for (const uint64_t digest : report.digests) hash.add(digest);
  return {report.where, report.mismatches.empty() ? hash.value() : 0};
}

std::string place_text(const OperationTest& test) {
  return test.device == "cpu" ? "cores " + core_text(test.cores) : test.device;
}

}  // namespace

TestRow test_operations(const OperationTest& test, const std::string& name) {
  const std::vector<ExpectedStep> steps = expected_steps();
  const TimePoint start = Clock::now();
  std::vector<PlaceReport> reports = run_places(test, steps);
  compare_places(steps, reports, test.host);
  TestRow row = {.check = name, .host = test.host, .where = place_text(test)};
  for (const PlaceReport& report : reports) {
    std::ranges::copy(report.mismatches, std::back_inserter(row.mismatches));
    row.digests.push_back(place_digest(report));
  }
  row.result = row.mismatches.empty() ? TestResult::Pass : TestResult::Fail;
  const std::string passes = test.passes == 1 ? "1 pass" : fmt::format("{} passes", test.passes);
  row.what =
      row.mismatches.empty()
          ? fmt::format("{} match the reference; same bits in {}{}; {:.1f} s",
                        count_text(std::ssize(steps), "operation"), passes,
                        reports.size() > 1 ? " on every core" : "", seconds_since(start).count())
          : fmt::format("{} of {}", count_text(std::ssize(row.mismatches), "wrong result"),
                        steps.size() * reports.size());
  return row;
}

}  // namespace lockstep
