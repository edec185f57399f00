// network_test.cpp: whole networks, on all cores or one device, against the plain reference.
#include <fmt/ranges.h>

#include <cmath>

#include "base/text.h"
#include "engine/reference/reference_engine.h"
#include "nn/zoo.h"
#include "selftest/operation_test.h"

namespace lockstep {
namespace {

constexpr uint64_t kSeed = 11;
constexpr int kBatch = 1, kSteps = 2;
constexpr double kTolerance = 1e-3;  // of a loss: errors of a step grow in the next

// Small enough for the reference; together they have every kind of layer that large ones have.
constexpr const char* kNetworks[] = {"lenet", "resnet20"};

std::vector<float> losses_of(const Graph& graph, std::unique_ptr<Engine> engine) {
  Replica replica(graph, std::move(engine));
  replica.fill(kSeed);
  std::vector<float> losses;
  for (int step = 0; step < kSteps; ++step) {
    const Examples examples = random_examples(graph, kBatch, kSeed + static_cast<uint64_t>(step));
    losses.push_back(replica.train(examples.batch(), 0.01).loss);
  }
  return losses;
}

std::string difference(const std::vector<float>& got, const std::vector<float>& again,
                       const std::vector<float>& expected) {
  for (size_t step = 0; step < expected.size(); ++step) {
    const double off = std::abs(got[step] / expected[step] - 1);
    if (!(off <= kTolerance)) {
      return fmt::format("loss {} instead of {} in step {}", got[step], expected[step], step + 1);
    }
  }
  return got == again ? "" : "other losses in a second run";
}

}  // namespace

TestRow test_networks(const OperationTest& test, const std::string& name) {
  const int threads = std::max(static_cast<int>(test.cores.size()), 1);
  const bool cpu = test.device == "cpu";
  if (cpu) bind_this_thread(test.cores);
  TestRow row = {.check = name,
                 .host = test.host,
                 .where = cpu ? "cores " + core_text(test.cores) : test.device};
  const TimePoint start = Clock::now();
  for (const char* network : kNetworks) {
    const Graph graph = build(find_model(network));
    const EngineOptions options = {
        .batch = kBatch, .threads = threads, .seed = kSeed, .device = test.device};
    const auto run = [&] { return losses_of(graph, test.make(graph, options)); };
    const std::string wrong =
        difference(run(), run(), losses_of(graph, make_reference_engine(graph, options)));
    if (!wrong.empty()) row.mismatches.push_back({test.host, row.where, network, wrong});
  }
  row.result = row.mismatches.empty() ? TestResult::Pass : TestResult::Fail;
  row.what =
      row.mismatches.empty()
          ? fmt::format("{}: losses of {} steps match the reference, same bits twice; {:.1f} s",
                        fmt::join(kNetworks, ", "), kSteps, seconds_since(start).count())
          : fmt::format("{} wrong", count_text(std::ssize(row.mismatches), "network"));
  return row;
}

}  // namespace lockstep
