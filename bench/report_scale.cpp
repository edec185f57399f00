// report_scale.cpp: makes a directory as large as a year of a cluster, to time 'lockstep report'
// on.
//
//   report_scale DIR [RUNS] [STEPS] [RANKS]
//
// Writes RUNS launches (5 of each configuration) of STEPS steps on up to RANKS ranks, with critical
// paths and transfers, so that the report has a loss budget of each. Their raw files are links to
// one file per number of devices: whole ones would fill a disk and say the same.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

#include "base/random.h"
#include "config/json.h"
#include "config/run_id.h"
#include "measure/summary.h"
#include "report/results/results_store.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kLaunches = 5, kBatch = 64, kTransfers = 8, kServers = 2;
constexpr const char* kModels[] = {"alexnet", "vgg16", "inception3", "resnet50", "resnet101"};
constexpr const char* kUpdates[] = {"replicated", "horovod", "parameter_server",
                                    "distributed_replicated"};

StepRecord step_of(double begin, double milliseconds, int images) {
  StepRecord step;
  step.begin = Seconds(begin);
  step.duration = Seconds(milliseconds / 1000);
  constexpr std::array<double, kPhaseNames.size()> kParts = {0.01, 0.3, 0.5, 0.15, 0.03, 0.01};
  for (size_t i = 0; i < kParts.size(); ++i) step.phases[i] = step.duration * kParts[i];
  step.images = images;
  return step;
}

bool uses_servers(const RunConfig& config) {
  return config.variable_update == "parameter_server" ||
         config.variable_update == "distributed_replicated";
}

// As critical_path_of() makes them, with as many late ranks and servers as it keeps.
PathSummary path_of(const RunConfig& config, double step, const RandomStream& random,
                    uint64_t draw) {
  constexpr std::pair<PathPart, double> kParts[] = {
      {PathPart::Input, 0.01}, {PathPart::Compute, 0.8},  {PathPart::Wire, 0.05},
      {PathPart::Queue, 0.03}, {PathPart::Servers, 0.02}, {PathPart::Between, 0.01}};
  PathSummary path = {.steps = 100,
                      .servers_measured = uses_servers(config),
                      .transfer_seconds = 0.1 * step,
                      .transfer_bytes = 240'000'000,
                      .last_bytes = 4'000'000};
  double rest = step;
  for (const auto& [part, share] : kParts) {
    path.part(part) = share * step * (0.95 + 0.1 * random.uniform(draw++));
    rest -= path.part(part);
  }
  path.part(PathPart::Late) = rest;
  const int late = std::min(config.num_devices, static_cast<int>(kMostListed));
  for (int rank = 0; rank < late; ++rank) {
    path.late.push_back({.rank = rank,
                         .host = fmt::format("node{}", rank / 8 + 1),
                         .fraction = random.uniform(draw++),
                         .seconds = rest / (rank + 1),
                         .where = fmt::format("backward of conv{}", rank)});
  }
  for (int server = 0; uses_servers(config) && server < kServers; ++server) {
    path.servers.push_back({.server = server,
                            .variable = fmt::format("conv{}/weights", server),
                            .seconds = path.part(PathPart::Servers) / kServers});
  }
  return path;
}

std::vector<Transfer> transfers_of(const RunConfig& config) {
  std::vector<Transfer> list;
  for (int i = 0; i < kTransfers; ++i) {
    const std::string layers = fmt::format("conv{}", i / 2);
    const char* way = i % 2 == 0 ? "push" : "pull";
    if (uses_servers(config)) {
      list.push_back({fmt::format("{} {}", way, layers), 30'000'000, layers, i / 2 % kServers});
    } else {
      list.push_back({fmt::format("bucket {}", i), 30'000'000, layers});
    }
  }
  return list;
}

// Evenly through backward and beyond; each is under way for a tenth of the step.
void add_transfers(RankResult& rank, const StepRecord& step) {
  for (int i = 0; i < kTransfers; ++i) {
    const Seconds ready = step.begin + step.duration * (0.4 + 0.06 * i);
    rank.transfers.push_back({ready, ready, ready + step.duration * 0.1});
  }
}

RunResult result_of(const RunConfig& config, int steps, uint64_t stream, bool with_ranks) {
  const RandomStream random(1, stream);
  RunResult result;
  result.config = config;
  result.program_version = "0.1.0";
  result.started_at = fmt::format("2026-01-01T{:02}:{:02}:{:02}Z", stream / 3600 % 24,
                                  stream / 60 % 60, stream % 60);
  result.facts.model = config.model;
  result.facts.batch_size = config.batch_size;
  result.facts.threads = 1;
  result.facts.devices = config.num_devices;
  result.facts.servers = uses_servers(config) ? kServers : 0;
  result.host.name = "node1";
  result.host.usable_threads = 4096;
  const int devices = config.num_devices;
  double begin = 0;
  uint64_t draw = 0;
  for (int i = 0; i < steps; ++i) {
    const double milliseconds = 200 + 8 * std::log2(devices) + 10 * random.uniform(draw++);
    result.steps.push_back(step_of(begin, milliseconds, kBatch * devices));
    begin += milliseconds / 1000;
  }
  for (int rank = 0; with_ranks && devices > 1 && rank < devices; ++rank) {
    RankResult& each = result.ranks.emplace_back();
    each.rank = rank;
    each.host = fmt::format("node{}", rank / 8 + 1);
    for (const StepRecord& step : result.steps) {
      each.steps.push_back(step);
      each.steps.back().phase(Phase::Communication) *= random.uniform(draw++);
      add_transfers(each, step);
    }
  }
  if (devices > 1) {
    result.transfers = transfers_of(config);
    result.path = path_of(config, begin / steps, random, draw);
  }
  const double rate = static_cast<double>(steps) * kBatch * devices / begin;
  result.throughput.total_images_per_second = rate;
  result.summary = summarize(result.steps, rate);
  return result;
}

std::vector<RunConfig> configurations(size_t count, int ranks) {
  std::vector<RunConfig> all;
  for (int bucket = 1; all.size() < count; ++bucket) {
    for (const char* model : kModels) {
      for (const char* update : kUpdates) {
        for (int devices = 1; devices <= ranks && all.size() < count; devices *= 2) {
          RunConfig& config = all.emplace_back();
          config.model = model;
          config.batch_size = kBatch;
          config.variable_update = update;
          config.num_devices = devices;
          config.agg_small_grads_max_group = bucket;
        }
      }
    }
  }
  return all;
}

void make(const std::string& directory, int runs, int steps, int ranks) {
  fs::create_directories(fs::path(directory) / "runs");
  std::ofstream lines(fs::path(directory) / ResultsStore::kFile);
  uint64_t stream = 0;
  for (const RunConfig& config : configurations(static_cast<size_t>(runs / kLaunches), ranks)) {
    const fs::path shared =
        fs::path(directory) / "runs" / fmt::format("x{}.json", config.num_devices);
    if (!fs::exists(shared)) {
      std::ofstream(shared) << result_to_json(result_of(config, steps, stream, true)).dump();
    }
    for (int repeat = 0; repeat < kLaunches; ++repeat) {
      const std::string raw = fmt::format("runs/{}-{}.json", run_id(config), repeat);
      fs::remove(fs::path(directory) / raw);
      fs::create_hard_link(shared, fs::path(directory) / raw);
      lines << stored_line({.id = run_id(config),
                            .repeat = repeat,
                            .raw_file = raw,
                            .wall_seconds = 30,
                            .last_lines = {},
                            .result = result_of(config, steps, stream++, false)});
    }
  }
  if (!lines.flush()) throw std::runtime_error("cannot write " + directory);
}

}  // namespace
}  // namespace lockstep

int main(int count, char** words) {
  const auto number = [&](int place, int otherwise) {
    return count > place ? std::atoi(words[place]) : otherwise;
  };
  if (count < 2) {
    std::cerr << "usage: report_scale DIR [RUNS] [STEPS] [RANKS]\n";
    return 2;
  }
  lockstep::make(words[1], number(2, 10000), number(3, 100), number(4, 64));
  return 0;
}
