#include "run/rank/rank_device.h"

#include <gmock/gmock.h>

#include <numeric>

#include "base/error.h"
#include "run/rank/agreed_device.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

Environment visible(const std::string& devices) {
  return [devices](const std::string& name) {
    return name == "CUDA_VISIBLE_DEVICES" ? std::optional(devices) : std::nullopt;
  };
}
const Environment kNothingSet = [](const std::string&) { return std::nullopt; };

// GPU-a0, GPU-a1, ... of a driver.
class SomeGpus final : public GpuLibrary {
 public:
  explicit SomeGpus(int count) : count_(count) {}
  int count() override { return count_; }
  GpuInfo info(int gpu) override {
    return {.name = "G", .uuid = "GPU-a" + std::to_string(gpu), .pci_address = {}, .driver = {}};
  }
  GpuState state(int) override { return {}; }
  std::optional<bool> peers(int, int) override { return {}; }

 private:
  int count_;
};

WorkerView worker(const std::string& host, GpuLibrary* library, const Environment& environment) {
  WorkerView view = visible_gpus(library, environment);
  view.host = host;
  return view;
}

std::vector<std::string> devices(const RunConfig& run, const std::vector<WorkerView>& workers) {
  std::vector<std::string> all;
  for (const RankDevice& each : rank_devices(run, workers)) all.push_back(each.device);
  return all;
}

const RunConfig kCuda = {.device = "cuda"};

std::vector<std::string> ids(GpuLibrary* library, const std::string& variable) {
  std::vector<std::string> all;
  for (const VisibleGpu& gpu : visible_gpus(library, visible(variable)).gpus) all.push_back(gpu.id);
  return all;
}

TEST(VisibleGpus, AreChosenByNumberOrUuid) {
  SomeGpus four(4);
  EXPECT_THAT(ids(&four, "2,0"), ElementsAre("GPU-a2", "GPU-a0"));
  EXPECT_THAT(ids(&four, "GPU-a3,GPU-a1"), ElementsAre("GPU-a3", "GPU-a1"));
  EXPECT_THAT(ids(&four, ""), IsEmpty());
  EXPECT_THAT(ids(&four, "-1"), IsEmpty());
  EXPECT_THAT(ids(&four, "1,9,2"), ElementsAre("GPU-a1")) << "CUDA ends at the first wrong one";
  EXPECT_THAT(ids(&four, "GPU-a"), IsEmpty()) << "it is the beginning of several";
  EXPECT_THAT(ids(&four, "MIG-1/2"), ElementsAre("MIG-1/2"));
  EXPECT_EQ(visible_gpus(&four, visible("2,0")).gpus[0].library_index, 2);
  EXPECT_EQ(visible_gpus(&four, kNothingSet).gpus.size(), 4u);
}

TEST(RankDevices, WorkersOfAHostTakeItsGpusInOrder) {
  SomeGpus four(4), one(1);
  const WorkerView a = worker("a", &four, kNothingSet), b = worker("b", &one, kNothingSet);
  EXPECT_THAT(devices(kCuda, {a, a, b, a}), ElementsAre("cuda:0", "cuda:1", "cuda:0", "cuda:2"));
  const WorkerView some = worker("a", &four, visible("3,2"));
  EXPECT_THAT(devices(kCuda, {some, some}), ElementsAre("cuda:0", "cuda:1"));
  const std::vector<WorkerView> both = {some, some};
  EXPECT_EQ(rank_devices(kCuda, both)[1].library_index, 2);
}

TEST(RankDevices, AWorkerThatSomebodyBoundToAGpuTakesThatOne) {
  SomeGpus four(4);
  EXPECT_THAT(devices(kCuda, {worker("a", &four, visible("0")), worker("a", &four, visible("1"))}),
              ElementsAre("cuda:0", "cuda:0"))
      << "by a script around mpirun";
  const WorkerView task = worker("a", nullptr, visible("0"));
  EXPECT_THAT(devices(kCuda, {task, task}), ElementsAre("cuda:0", "cuda:0"))
      << "by Slurm, whose tasks all see their own GPU as 0";
}

TEST(RankDevices, MoreWorkersThanGpusAreRefusedWithBothNumbers) {
  SomeGpus two(2);
  const WorkerView a = worker("node7", &two, kNothingSet);
  const std::vector<WorkerView> three = {a, a, a};
  EXPECT_THAT([&] { rank_devices(kCuda, three); },
              ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("node7"), HasSubstr("3 workers"), HasSubstr("2 GPUs"))));
  const WorkerView one = worker("a", &two, visible("1"));
  const std::vector<WorkerView> sharers = {one, one};
  EXPECT_THAT([&] { rank_devices(kCuda, sharers); },
              ThrowsMessage<UsageError>(HasSubstr("2 workers but 1 GPU;")));
}

TEST(RankDevices, WithoutTheDriversLibraryTheEngineFindsOutHowManyThereAre) {
  const WorkerView any = worker("a", nullptr, kNothingSet);
  EXPECT_THAT(devices(kCuda, {any, any}), ElementsAre("cuda:0", "cuda:1"));
}

TEST(RankDevices, AnythingElseStaysAsGiven) {
  const WorkerView any = worker("a", nullptr, kNothingSet);
  EXPECT_THAT(devices({.device = "cpu"}, {any, any}), ElementsAre("cpu", "cpu"));
  EXPECT_THAT(devices({.device = "cuda:2"}, {any}), ElementsAre("cuda:2"));
}

TEST(RankDevices, AGpuThatIsNamedIsThatOfOneWorkerOfAHost) {
  SomeGpus four(4);
  const WorkerView a = worker("a", &four, visible("3,1")), b = worker("b", &four, kNothingSet);
  const std::vector<WorkerView> one_each = {a, b}, both = {b, b};
  const RunConfig run = {.device = "cuda:1"};
  EXPECT_THAT(devices(run, one_each), ElementsAre("cuda:1", "cuda:1"));
  EXPECT_EQ(rank_devices(run, one_each)[0].library_index, 1);
  EXPECT_THAT(
      [&] { rank_devices(run, both); },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("2 workers"), HasSubstr("--device cuda "))));
  RunConfig indices = run;
  indices.gpu_indices = "0";
  EXPECT_THAT([&] { rank_devices(indices, one_each); },
              ThrowsMessage<UsageError>(HasSubstr("names a GPU already")));
}

TEST(RankDevices, GpuIndicesListTheGpusOfAHost) {
  SomeGpus four(4);
  const WorkerView a = worker("a", &four, kNothingSet);
  const RunConfig run = {.device = "cuda", .gpu_indices = "3,1", .num_devices = 2};
  EXPECT_THAT(devices(run, {a, a}), ElementsAre("cuda:3", "cuda:1"));
  const std::vector<WorkerView> three = {a, a, a}, one = {a};
  EXPECT_THROW(rank_devices(run, three), UsageError);
  EXPECT_THAT([&] { rank_devices({.device = "cuda", .gpu_indices = "5"}, one); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("--gpu-indices 5"), HasSubstr("4 GPUs"))));
}

TEST(RankDevices, GpuIndicesAreDifferentNumbersAndEnough) {
  for (const char* wrong : {"x", "0,", "0,0", "-1", "0;1"}) {
    EXPECT_THROW(gpu_indices({.gpu_indices = wrong}), UsageError) << wrong;
  }
  EXPECT_THROW(gpu_indices({.gpu_indices = "0,1", .num_devices = 3}), UsageError);
  EXPECT_EQ(gpu_indices({.gpu_indices = "4"}), std::vector<int>{4});
  EXPECT_TRUE(gpu_indices({}).empty());
}

TEST(RankDevices, HaveTheCoresOfTheirGpusNode) {
  WorkerView view = {.host = "a", .cores = CoreSet(16), .knows_gpus = true, .identified = true};
  std::iota(view.cores.begin(), view.cores.end(), 0);
  view.gpus = {{.id = "x", .library_index = 0, .numa_node = 1},
               {.id = "y", .library_index = 1, .numa_node = 0}};
  const std::vector<WorkerView> both = {view, view};
  const auto placed = rank_devices(kCuda, both, {"pack:2 [numa] core:4 pu:2"});
  EXPECT_EQ(core_text(placed[0].cores), "8-15");
  EXPECT_EQ(core_text(placed[1].cores), "0-7");
}

TEST(RankDevices, ViewsSurviveTheirText) {
  const WorkerView view = {.host = "a",
                           .cores = {1, 2},
                           .knows_gpus = true,
                           .identified = true,
                           .gpus = {{.id = "x", .library_index = 3, .numa_node = {}}}};
  const WorkerView read = view_from_text(view_text(view), 0);
  EXPECT_EQ(read.host, "a");
  EXPECT_EQ(read.cores, view.cores);
  EXPECT_TRUE(read.knows_gpus && read.identified);
  EXPECT_EQ(read.gpus[0].library_index, 3);
  EXPECT_EQ(read.gpus[0].numa_node, std::nullopt);
}

TEST(NamedDevice, GpuIsWhatTheEngineSees) {
  EngineKind engine = engine_elsewhere("some", {});
  for (const char* given : {"cpu", "cuda", "cuda:1", "mps"}) {
    EXPECT_EQ(named_device(given, &engine), given);
  }
  engine.accelerators = [] { return std::optional(Accelerators{.name = "xpu", .count = 2}); };
  EXPECT_EQ(named_device("gpu", &engine), "xpu");
  engine.accelerators = []() -> std::optional<Accelerators> { return {}; };
  EXPECT_THAT([&] { named_device("gpu", &engine); },
              ThrowsMessage<UsageError>(HasSubstr("--device gpu: LibTorch sees no GPU here")));
  EXPECT_THROW(named_device("gpu", nullptr), UsageError);
}

TEST(EngineFor, TheFirstThatComputesOnTheDeviceInTheFormat) {
  EngineKind small = engine_elsewhere("small", {}), large = engine_elsewhere("large", {});
  small.only_cpu = true;
  const EngineKind engines[] = {small, large};
  EXPECT_EQ(engine_for(engines, "cpu", "f32").name, "small");
  EXPECT_EQ(engine_for(engines, "gpu", "f32").name, "large");
  EXPECT_EQ(engine_for(engines, "cpu", "bf16").name, "large");
}

}  // namespace
}  // namespace lockstep
