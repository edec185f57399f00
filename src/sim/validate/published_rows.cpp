#include "sim/validate/published_rows.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "nn/zoo.h"
#include "report/results/csv_rows.h"
#include "report/results/published_csv.h"

namespace lockstep {
namespace {

// "1,234.5" is 1234.5, as spreadsheets write it in quotes. Other commas stay.
std::string without_thousands(std::string number) {
  size_t end = std::min(number.find('.'), number.size());
  while (end > 4 && number[end - 4] == ',') {
    end -= 4;
    number.erase(end, 1);
  }
  return number;
}

class RowReader {
 public:
  explicit RowReader(const CsvRow& row) : row_(row) {}

  // What spreadsheets write for no value is none.
  std::string text(std::initializer_list<std::string_view> names) const {
    constexpr std::string_view kNone[] = {"-", "n/a", "na", "nan"};
    const std::string value = row_.get(names);
    return std::ranges::count(kNone, lower_case(value)) > 0 ? "" : value;
  }
  // 8, or 8.0 as a table with gaps has it.
  int whole(std::initializer_list<std::string_view> names, int otherwise) const {
    const std::string given = text(names);
    if (given.empty()) return otherwise;
    const auto value = finite_number(without_thousands(given));
    if (!value || *value < 0 || *value > 10'000'000 || *value != std::floor(*value)) {
      refuse(*names.begin(), given);
    }
    return static_cast<int>(*value);
  }
  std::optional<double> number(std::initializer_list<std::string_view> names) const {
    return positive(*names.begin(), text(names));
  }

  // Efficiency: 0.9, or 90 or 90 %. Rounded rates and lucky runs exceed 1 a little.
  std::optional<double> part(std::initializer_list<std::string_view> names) const {
    constexpr double kMost = 2;
    const std::string given = text(names);
    const bool percent = given.ends_with('%');
    const std::string digits = given.substr(0, given.find_last_not_of(" %") + 1);
    auto value = positive(*names.begin(), digits);
    if (value && (percent || *value > kMost)) value = *value / 100;
    if (value && *value > kMost) {
      throw UsageError("{} must be a part of 1, as 0.9, or a percentage, not {}", *names.begin(),
                       given);
    }
    return value;
  }

 private:
  // 0, as of a run that failed, is no value.
  static std::optional<double> positive(std::string_view column, const std::string& given) {
    if (given.empty()) return std::nullopt;
    const auto value = finite_number(without_thousands(given));
    if (!value || *value < 0) refuse(column, given);
    return *value > 0 ? value : std::nullopt;
  }
  [[noreturn]] static void refuse(std::string_view column, const std::string& given) {
    throw UsageError("{} must be a number above 0, not '{}'", column, given);
  }
  const CsvRow& row_;  // borrowed: outlives this
};

// Without gpus_per_node or nodes, the cluster says how many devices a node has.
void set_nodes(const RowReader& read, PublishedRow& row) {
  const int nodes = read.whole({"nodes"}, 0);
  row.per_node = read.whole({"gpus_per_node", "devices_per_node"}, 0);
  if (row.devices == 0) row.devices = nodes * row.per_node;
  if (row.devices == 0) return;
  // Nodes that are not full have fewer devices than gpus_per_node says of the hardware.
  if (nodes > 0 && (row.per_node == 0 || int64_t{nodes} * row.per_node >= row.devices)) {
    row.per_node = (row.devices + nodes - 1) / nodes;
  } else if (nodes > 0) {
    row.problem = fmt::format("{} nodes with {} devices each are fewer than {} devices", nodes,
                              row.per_node, row.devices);
  }
  if (row.per_node > 0) row.set_per_node(row.per_node);
}

PublishedRow published_row(const CsvRow& row, const std::string& source) {
  if (!row.problem.empty()) throw UsageError("{}", row.problem);
  const RowReader read(row);
  PublishedRow result{.file = source,
                      .line = row.line,
                      .source = read.text({"source"}),
                      .model = known_name(read.text({"model"})),
                      .framework = read.text({"framework"}),
                      .update = read.text({"update"}),
                      .data = read.text({"data"}),
                      .precision = read.text({"precision"}),
                      .cluster = read.text({"cluster"}),
                      .batch = read.whole({"batch_per_gpu", "batch_per_device", "batch"}, 0),
                      .devices = read.whole({"gpus", "devices"}, 0),
                      .servers = read.whole({"ps", "servers"}, 0),
                      .images_per_second = read.number({"images_per_sec"}),
                      .efficiency = read.part({"eff_published", "efficiency", "eff_vs_1gpu"}),
                      .step_ms = read.number({"step_ms"})};
  result.base_devices = read.whole({"base_gpus", "base_devices", "base"}, 0);
  set_nodes(read, result);
  if (result.model.empty() || result.devices < 1) {
    throw UsageError("a row needs model and gpus (or devices, or nodes and gpus_per_node)");
  }
  return result;
}

// One row that cannot be read must not hide the others.
PublishedRow row_or_problem(const CsvRow& row, const std::string& source) {
  try {
    return published_row(row, source);
  } catch (const UsageError& error) {
    return {.file = source, .line = row.line, .devices = 0, .problem = error.what()};
  }
}

bool has(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// As a word of its own: "ps" is not a part of another.
bool has_word(const std::string& text, std::string_view word) {
  const auto letter = [&](size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0);
  };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  }
  return false;
}

bool names_servers(const std::string& update) {
  return has_word(update, "ps") ||
         has(update, {"parameter_server", "parameter server", "parameter-server", "parameterserver",
                      "distributed tf", "dist_sync", "dist_device_sync", "grpc", "ps-lite",
                      "kvstore=dist", "byteps"});
}

bool names_all_reduce(const std::string& text) {
  return has(text, {"horovod",      "allreduce",      "all-reduce",    "all_reduce",
                    "all reduce",   "replicated",     "ccl",           "gloo",
                    "mpi",          "mlsl",           "ring",          "tree",
                    "halving",      "hierarchical",   "ddp",           "data parallel",
                    "dataparallel", "data_parallel",  "data-parallel", "mirrored",
                    "collective",   "kvstore=device", "kvstore=local"});
}

bool names_ddp(const std::string& text) { return has(text, {"ddp", "distributeddataparallel"}); }

// Models in 16 bits have such gradients. Mixed precision keeps parameters and gradients in fp32: it
// sends half as much only with compression.
bool sends_halves(const std::string& precision, const std::string& update) {
  const bool mixed = has(precision, {"amp", "mixed"});
  return (!mixed && has(precision, {"16", "half"})) ||
         has(update, {"fp16", "bf16", "float16", "compression"});
}

void read_update(const PublishedRow& row, const std::string& update, const std::string& framework,
                 Scenario& scenario) {
  if (has(update, {"async"})) {
    throw UsageError("update '{}': only synchronous steps are predicted", row.update);
  }
  if (update == "single" || update == "independent" || update == "none") {
    scenario.update = UpdateKind::Independent;
    scenario.strategy = "independent";
  } else if (has(update, {"distributed_replicated"})) {
    scenario.update = UpdateKind::DistributedReplicated;
    scenario.strategy = "distributed_replicated";
  } else if (names_servers(update) || (row.servers > 0 && !names_all_reduce(update))) {
    scenario.update = UpdateKind::ParameterServer;
    scenario.strategy = "parameter_server";
    scenario.sharded = has(update, {"dist_", "ps-lite", "kvstore", "byteps"});
  } else if (has(update, {"horovod"})) {
    scenario.strategy = "horovod";
  } else if (!update.empty() && !names_all_reduce(update) && !names_all_reduce(framework)) {
    throw UsageError(
        "unknown update '{}'; use a word as horovod, all-reduce, parameter_server or "
        "distributed_replicated",
        row.update);
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

std::string PublishedRow::work() const {
  const auto either = [](const std::string& text, std::string_view usual) {
    return text.empty() ? std::string(usual) : lower_case(text);
  };
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", source, model, batch, either(data, "synthetic"),
                     either(precision, "fp32"), cluster);
}

std::vector<PublishedRow> read_published(std::string_view text, const std::string& source) {
  std::vector<PublishedRow> rows;
  for (const CsvRow& row : read_csv(text, source)) rows.push_back(row_or_problem(row, source));
  return rows;
}

std::vector<PublishedRow> own_published_rows() {
  return read_published(published_csv(), "data/published.csv");
}

Scenario scenario_of(const PublishedRow& row) {
  Scenario scenario{.batch = row.images(),
                    .devices = row.devices,
                    .per_node = row.per_node,
                    .servers = row.servers};
  const std::string update = lower_case(row.update), framework = lower_case(row.framework);
  read_update(row, update, framework, scenario);
  read_communication(update, scenario);
  if (scenario.update == UpdateKind::AllReduce) {
    const bool ddp = names_ddp(framework) || names_ddp(update);
    if (has(framework, {"horovod"})) scenario.strategy = "horovod";
    if (scenario.strategy == "horovod") {
      scenario.usual_scheduler = "horovod";
    } else if (ddp || has(framework, {"pytorch"})) {
      scenario.usual_scheduler = "buckets";
    } else if (has(framework, {"tf_cnn_benchmarks", "tensorpack"}) && has(update, {"replicated"})) {
      scenario.usual_scheduler = "tensors";
    }
    if (ddp) scenario.bucket_mb = 25;  // DistributedDataParallel's default
  }
  const std::string data = lower_case(row.data);
  scenario.real_data = has(data, {"real", "lustre", "tfrecord"}) && !has(data, {"synthetic"});
  if (sends_halves(lower_case(row.precision), update)) scenario.gradient_scale = 0.5;
  return scenario;
}

}  // namespace lockstep
