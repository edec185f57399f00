#include "framework/framework_job.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "config/json.h"
#include "framework/framework_line.h"
#include "framework/network_json.h"
#include "nn/dropout_mask.h"
#include "nn/initial_values.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Numbers as the machine stores them, one after the other.
class NumberFile {
 public:
  explicit NumberFile(const fs::path& path) : path_(path), file_(path, std::ios::binary) {}

  template <typename Number>
  void add(std::span<const Number> numbers) {
    file_.write(reinterpret_cast<const char*>(numbers.data()),
                static_cast<std::streamsize>(numbers.size_bytes()));
  }
  void close() {
    file_.close();
    if (!file_) throw Error("cannot write {}: {}", path_.string(), std::strerror(errno));
  }

 private:
  fs::path path_;
  std::ofstream file_;
};

void write_values(const FrameworkJob& job, const fs::path& path) {
  NumberFile file(path);
  std::vector<float> values;
  for (const ParameterSpec& parameter : parameters_of(job.graph)) {
    values.resize(static_cast<size_t>(parameter.shape.elements()));
    fill_initial_values(job.graph, parameter, job.values_seed, values);
    file.add(std::span<const float>(values));
  }
  file.close();
}

void write_examples(const FrameworkJob& job, const fs::path& directory) {
  NumberFile images(directory / "images.f32"), labels(directory / "labels.i32");
  const int steps = std::max(job.warmup_steps + job.timed_steps, job.check_steps);
  for (int step = 0; step < steps; ++step) {
    const Batch& batch = job.input.next();
    if (step == 0) images.add(batch.images);
    labels.add(batch.labels);
  }
  images.close();
  labels.close();
}

// One byte per value: 1 keeps it. By step, then by layer; in plain order.
Json write_masks(const FrameworkJob& job, const fs::path& path) {
  NumberFile file(path);
  Json layers = Json::array();
  for (int step = 0; step < job.check_steps; ++step) {
    for (NodeId id = 0; const Node& node : job.graph.nodes()) {
      if (const Dropout* dropout = std::get_if<Dropout>(&node.layer)) {
        const RandomStream random(job.dropout_seed, dropout_stream(id, step));
        std::vector<uint8_t> mask(static_cast<size_t>(job.batch * node.output.elements()));
        for (size_t i = 0; i < mask.size(); ++i) mask[i] = keeps(random, i, dropout->keep) ? 1 : 0;
        file.add(std::span<const uint8_t>(mask));
        if (step == 0) layers.push_back(node.name);
      }
      ++id;
    }
  }
  file.close();
  return layers;
}

}  // namespace

std::string write_framework_job(const FrameworkJob& job, const std::string& directory) {
  const fs::path folder = directory;
  write_values(job, folder / "values.f32");
  write_examples(job, folder);
  const Json masked = write_masks(job, folder / "masks.u8");
  const OptimizerSettings& optimizer = job.optimizer;
  const Json json = {{"protocol", kFrameworkProtocol},
                     {"network", network_json(job.graph)},
                     {"image", job.graph.shape(job.graph.image()).dims()},
                     {"batch_size", job.batch},
                     {"threads", job.threads},
                     {"device", job.device},
                     {"dtype", job.dtype},
                     {"mode", job.mode.empty() ? Json(nullptr) : Json(job.mode)},
                     {"warmup_steps", job.warmup_steps},
                     {"timed_steps", job.timed_steps},
                     {"optimizer", {{"name", optimizer.name}, {"momentum", optimizer.momentum}}},
                     {"weight_decay", optimizer.weight_decay},
                     {"learning_rates", job.learning_rates},
                     {"check",
                      {{"steps", job.check_steps},
                       {"learning_rate", job.check_learning_rate},
                       {"weight_decay", job.check_weight_decay},
                       {"masked_layers", masked}}},
                     {"communicates", job.communicates},
                     {"rank", job.rank},
                     {"size", job.size},
                     {"local_rank", job.local_rank},
                     {"addresses", job.addresses}};
  const fs::path path = folder / "job.json";
  std::ofstream file(path);
  file << json.dump(1) << "\n";
  file.close();
  if (!file) throw Error("cannot write {}: {}", path.string(), std::strerror(errno));
  return path.string();
}

}  // namespace lockstep
