// The contract of strategies on devices: replicas in the memory of the fake, gradients summed by
// NCCL, beside one replica on the host that gets the examples of all.
#include <gmock/gmock.h>

#include "base/error.h"
#include "engine/reference/replica.h"
#include "engine/torch/torch_engine.h"
#include "fake_accelerator/nccl_threads.h"
#include "support/strategy_runs.h"
#include "train/replicated.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

struct Variant {
  const char* name;
  const char* strategy;
  SyncOptions options;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

struct DeviceResult {
  std::vector<std::vector<float>> values;  // by parameter, plain
  std::vector<double> squares;             // by step
};

struct DeviceRun {
  std::vector<DeviceResult> workers;
  std::vector<std::string> errors = {};
};

// As a worker of strategy_runs.h, on a device.
DeviceResult train_on_device(const StrategyRun& run, DeviceCommunicator& devices) {
  const SmallNetwork network = small_network(run.network);
  const int worker = devices.rank();
  Replica replica(
      network.graph,
      make_torch_engine(network.graph, {.batch = network.batch,
                                        .device = fmt::format("privateuseone:{}", worker),
                                        .parameters_on_device = true}));
  replica.fill(1 + worker);
  const auto strategy = find_strategy(run.strategy)
                            .make(replicated_of(replica.engine(), replica.arena(), run.optimizer),
                                  {.devices = &devices}, run.options);
  DeviceResult result;
  strategy->start();
  for (int step = 0; step < run.steps; ++step) {
    if (run.before_step) run.before_step(worker, step);
    const Examples examples = share_of(run, worker, step);
    strategy->begin_step(rate_of(step));
    replica.engine().start_forward(examples.batch());
    replica.engine().backward([&](ParameterId id) { strategy->gradient_ready(id); });
    strategy->finish_step();
    result.squares.push_back(replica.engine().outcome(0).sum_of_squares);
  }
  std::vector<float> all(static_cast<size_t>(replica.arena().floats()));
  strategy->newest_values(all);
  std::ranges::copy(all, replica.arena().all_values().begin());
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    result.values.push_back(replica.plain_values(id));
  }
  strategy->finish();
  return result;
}

DeviceRun try_on_devices(const StrategyRun& run) {
  DeviceRun all = {.workers = std::vector<DeviceResult>(static_cast<size_t>(run.workers))};
  all.errors = run_nccl_ranks(run.workers, [&](DeviceCommunicator& devices) {
    all.workers[static_cast<size_t>(devices.rank())] = train_on_device(run, devices);
  });
  return all;
}

class DeviceStrategy : public ::testing::TestWithParam<Variant> {
 protected:
  StrategyRun run_of(int workers) const {
    return {.strategy = GetParam().strategy, .options = GetParam().options, .workers = workers};
  }
};

TEST_P(DeviceStrategy, WorkersTogetherMatchOneWorkerOnTheJoinedBatch) {
  for (const int workers : {1, 2, 4}) {
    SCOPED_TRACE(workers);
    const StrategyRun run = run_of(workers);
    const WorkerResult expected = train_on_joined_batch(run);
    const DeviceRun actual = try_on_devices(run);
    for (const std::string& error : actual.errors) ASSERT_EQ(error, "");
    for (const DeviceResult& worker : actual.workers) {
      for (size_t id = 0; id < expected.values.size(); ++id) {
        EXPECT_LE(distance(worker.values[id], expected.values[id]),
                  1e-4 * norm(expected.values[id]) + 1e-6)
            << "parameter " << id;
      }
      for (size_t step = 0; step < expected.squares.size(); ++step) {
        EXPECT_NEAR(worker.squares[step], expected.squares[step], 1e-4 * expected.squares[step]);
      }
    }
  }
}

// That another run gets the same bits is nothing that NCCL promises.
TEST_P(DeviceStrategy, WithBatchNormalisationReplicasStayEqual) {
  StrategyRun run = run_of(3);
  run.network = "ConvNormReluTwice";
  const DeviceRun all = try_on_devices(run);
  for (size_t worker = 0; worker < all.workers.size(); ++worker) {
    EXPECT_EQ(all.errors[worker], "");
    EXPECT_EQ(all.workers[worker].values, all.workers[0].values);
  }
}

TEST_P(DeviceStrategy, AFailingWorkerEndsAllRanksAndIsNamed) {
  StrategyRun run = run_of(3);
  run.before_step = [](int worker, int step) {
    if (worker == 1 && step == 2) throw Error("out of luck");
  };
  const DeviceRun all = try_on_devices(run);
  EXPECT_EQ(all.errors[1], "out of luck");
  for (const size_t worker : {0, 2}) EXPECT_THAT(all.errors[worker], HasSubstr("rank 1"));
}

INSTANTIATE_TEST_SUITE_P(
    All, DeviceStrategy,
    ::testing::Values(
        Variant{"AllReduce", "replicated", {}},
        Variant{"SmallBuckets", "horovod", {.bucket_bytes = 256}},
        Variant{"NoOverlap", "collective_all_reduce", {.bucket_bytes = 1, .overlap = false}},
        Variant{"Repacked", "replicated", {.repacking = 3}},
        Variant{"SmallTogether", "distributed_all_reduce", {.small_bytes = 128, .small_group = 2}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep
