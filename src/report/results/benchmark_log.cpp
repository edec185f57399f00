#include "report/results/benchmark_log.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "config/json.h"
#include "config/json_text.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

Json optional_number(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json machine_of(const HostInfo& host) {
  return {{"cpu_info",
           {{"num_cores", host.usable_threads},
            {"cpu_info", host.cpu_model.value_or("unavailable")},
            {"mhz_per_cpu", optional_number(host.cpu_mhz)}}},
          {"memory_total", optional_number(host.memory_bytes)},
          {"memory_available", optional_number(host.available_memory_bytes)}};
}

// Sorted by name, each with its value under the name of its type.
Json parameters_of(const RunResult& result, double epochs) {
  const RunConfig& run = result.config;
  const RunFacts& facts = result.facts;
  return {{{"name", "batch_size"}, {"long_value", facts.batch_size * facts.devices}},
          {{"name", "batch_size_per_device"}, {"long_value", facts.batch_size}},
          {{"name", "data_format"}, {"string_value", run.data_format}},
          {{"name", "dataset"}, {"string_value", facts.dataset + " (synthetic)"}},
          {{"name", "devices"}, {"string_value", fmt::format("['/{}:0']", run.device)}},
          {{"name", "mode"}, {"string_value", run.forward_only ? "forward only" : "training"}},
          {{"name", "model"}, {"string_value", facts.model}},
          {{"name", "num_batches"}, {"long_value", facts.timed_steps}},
          {{"name", "num_epochs"}, {"float_value", epochs}},
          {{"name", "optimizer"}, {"string_value", run.optimizer}},
          {{"name", "rewrite_config"}, {"string_value", "None"}},
          {{"name", "session_config"}, {"string_value", "None"}},
          {{"name", "single_sess"}, {"bool_value", "False"}}};
}

}  // namespace

std::string metric_line(const std::string& name, double value, int64_t global_step, WallTime time) {
  return json_text({{"name", name},
                    {"value", value},
                    {"unit", nullptr},
                    {"global_step", global_step},
                    {"timestamp", utc_text(time)},
                    {"extras", Json::array()}}) +
         "\n";
}

std::string benchmark_run_text(const RunResult& result, double epochs) {
  const Json test_id = result.config.benchmark_test_id.empty()
                           ? Json(nullptr)
                           : Json(result.config.benchmark_test_id);
  const std::string dataset =
      result.facts.dataset + (result.config.data_dir.empty() ? " (synthetic)" : "");
  return json_text({{"model_name", result.facts.model},
                    {"dataset", {{"name", dataset}}},
                    {"machine_config", machine_of(result.host)},
                    {"test_id", test_id},
                    {"run_date", result.started_at},
                    {"lockstep_version", {{"version", result.program_version}}},
                    {"run_parameters", parameters_of(result, epochs)}}) +
         "\n";
}

BenchmarkLog::BenchmarkLog(std::string directory) : directory_(std::move(directory)) {
  std::error_code error;
  fs::create_directories(directory_, error);
  const std::string why =
      error ? error.message() : why_unwritable((fs::path(directory_) / "metric.log").string());
  if (!why.empty()) throw UsageError("cannot write to --benchmark-log-dir {}: {}", directory_, why);
}

void BenchmarkLog::run(const RunResult& result, double epochs) {
  write_whole_file((fs::path(directory_) / "benchmark_run.log").string(),
                   benchmark_run_text(result, epochs));
}

void BenchmarkLog::metric(const std::string& name, double value, int64_t global_step) {
  std::ofstream file(fs::path(directory_) / "metric.log", std::ios::app);
  file << metric_line(name, value, global_step, std::chrono::system_clock::now()) << std::flush;
  if (!file) throw Error("cannot write to {}/metric.log", directory_);
}

}  // namespace lockstep
