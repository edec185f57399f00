#include "sim/validate/published_rows.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "report/results/csv_rows.h"
#include "report/results/published_csv.h"

namespace lockstep {
namespace {

constexpr int kUnstatedBatch = 64;  // the most common in published tables

class RowReader {
 public:
  RowReader(const CsvRow& row, const std::string& source) : row_(row), source_(source) {}

  int whole(std::initializer_list<std::string_view> names, int otherwise) const {
    const std::string text = row_.get(names);
    if (text.empty()) return otherwise;
    const auto number = whole_number(text);
    if (!number || *number < 0 || *number > 10'000'000) refuse(*names.begin(), text);
    return static_cast<int>(*number);
  }
  std::optional<double> number(std::initializer_list<std::string_view> names) const {
    const std::string text = row_.get(names);
    if (text.empty()) return std::nullopt;
    const auto value = finite_number(text);
    if (!value || *value <= 0) refuse(*names.begin(), text);
    return value;
  }

  // Efficiency: 0.9, never 90.
  std::optional<double> part(std::initializer_list<std::string_view> names) const {
    constexpr double kMost = 2;  // rounded rates and lucky runs exceed 1 a little
    const auto value = number(names);
    if (value && *value > kMost) {
      throw UsageError("{}:{}: {} must be a part of 1, as 0.9, not {}", source_, row_.line,
                       *names.begin(), *value);
    }
    return value;
  }

 private:
  [[noreturn]] void refuse(std::string_view column, const std::string& text) const {
    throw UsageError("{}:{}: {} must be a number above 0, not '{}'", source_, row_.line, column,
                     text);
  }
  const CsvRow& row_;
  const std::string& source_;
};

PublishedRow published_row(const CsvRow& row, const std::string& source) {
  const RowReader read(row, source);
  PublishedRow result{.line = row.line,
                      .source = row.get({"source"}),
                      .model = row.get({"model"}),
                      .framework = row.get({"framework"}),
                      .update = row.get({"update", "series"}),
                      .data = row.get({"data"}),
                      .precision = row.get({"precision"}),
                      .cluster = row.get({"cluster"}),
                      .batch = read.whole({"batch_per_gpu", "batch_per_device", "batch"}, 0),
                      .devices = read.whole({"gpus", "devices"}, 0),
                      .servers = read.whole({"ps", "servers"}, 0),
                      .images_per_second = read.number({"images_per_sec"}),
                      .efficiency = read.part({"eff_published", "efficiency", "eff_vs_1gpu"})};
  if (result.model.empty() || result.devices < 1) {
    throw UsageError("{}:{}: a row needs model and devices (or gpus)", source, row.line);
  }
  if (const auto step = read.number({"step_ms"}); step && !result.images_per_second) {
    if (result.batch > 0) result.images_per_second = 1000.0 * result.batch * result.devices / *step;
  }
  const int stated = read.whole({"nodes"}, 0);
  const int per_node = read.whole({"gpus_per_node", "devices_per_node"}, 0);
  result.per_node = per_node > 0 ? per_node
                    : stated > 0 ? (result.devices + stated - 1) / stated
                                 : result.devices;
  result.per_node = std::min(result.per_node, result.devices);
  result.nodes = (result.devices + result.per_node - 1) / result.per_node;
  return result;
}

bool has(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

void read_update(const std::string& update, Scenario& scenario) {
  if (update == "single" || update == "independent" || update == "none") {
    scenario.update = UpdateKind::Independent;
    scenario.strategy = "independent";
  } else if (has(update, {"distributed_replicated"})) {
    scenario.update = UpdateKind::DistributedReplicated;
    scenario.strategy = "distributed_replicated";
  } else if (has(update, {"parameter_server", "parameter server", "distributed tf", "dist_sync",
                          "dist_device_sync", "grpc", "ps-lite", "kvstore=dist"})) {
    scenario.update = UpdateKind::ParameterServer;
    scenario.strategy = "parameter_server";
    scenario.sharded = has(update, {"dist_", "ps-lite", "kvstore"});
  } else if (has(update, {"horovod"})) {
    scenario.strategy = "horovod";
  }
}

void read_communication(const std::string& text, Scenario& scenario) {
  if (has(text, {"ipoib"})) {
    scenario.transport = "ipoib";
  } else if (has(text, {"rdma", "roce", "verbs"})) {
    scenario.transport = "rdma";
  } else if (has(text, {"tcp", "socket"})) {
    scenario.transport = "tcp";
  }
  if (has(text, {"on cpu", "allreduce on host"}) && scenario.update == UpdateKind::AllReduce) {
    scenario.library = "openmpi";
  } else if (has(text, {"nccl"})) {
    scenario.library = "nccl";
  } else if (has(text, {"gloo"})) {
    scenario.library = "gloo";
  }
  if (has(text, {"hierarchical"})) scenario.algorithm = "hierarchical";
  if (has(text, {"halving"})) scenario.algorithm = "halving_doubling";
}

}  // namespace

std::vector<PublishedRow> read_published(std::string_view text, const std::string& source) {
  std::vector<PublishedRow> rows;
  for (const CsvRow& row : read_csv(text, source)) rows.push_back(published_row(row, source));
  return rows;
}

std::vector<PublishedRow> own_published_rows() {
  return read_published(published_csv(), "data/published.csv");
}

Scenario scenario_of(const PublishedRow& row) {
  Scenario scenario{.batch = row.batch > 0 ? row.batch : kUnstatedBatch,
                    .devices = row.devices,
                    .per_node = row.per_node,
                    .servers = row.servers};
  const std::string update = lower_case(row.update), framework = lower_case(row.framework);
  read_update(update, scenario);
  read_communication(update, scenario);
  if (scenario.update == UpdateKind::AllReduce) {
    if (has(framework, {"horovod"})) scenario.strategy = "horovod";
    if (scenario.strategy == "horovod") {
      scenario.usual_scheduler = "horovod";
    } else if (has(framework, {"ddp", "pytorch"})) {
      scenario.usual_scheduler = "buckets";
    } else if (has(framework, {"tf_cnn_benchmarks", "tensorpack"}) && has(update, {"replicated"})) {
      scenario.usual_scheduler = "tensors";
    }
    if (has(framework, {"ddp"})) scenario.bucket_mb = 25;  // DistributedDataParallel's default
  }
  const std::string data = lower_case(row.data);
  scenario.real_data = has(data, {"real", "lustre", "tfrecord"}) && !has(data, {"synthetic"});
  if (has(lower_case(row.precision), {"16", "amp", "mixed"})) scenario.gradient_scale = 0.5;
  return scenario;
}

}  // namespace lockstep
