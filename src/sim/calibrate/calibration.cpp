#include "sim/calibrate/calibration.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "sim/calibrate/fit_servers.h"
#include "sim/calibrate/measured_jitter.h"
#include "sim/calibrate/seconds_in.h"
#include "sim/cluster/cluster_file.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

// The file grows entry by entry: later fits read what earlier ones wrote.
class Writer {
 public:
  explicit Writer(std::string when) : when_(std::move(when)) {}

  void section(const std::string& name) { text_ += fmt::format("\n[{}]\n", name); }
  void plain(const std::string& line) { text_ += line + "\n"; }
  void measured(const std::string& key, const std::string& value, const std::string& how) {
    text_ += fmt::format("{} = {{ value = {}, measured = \"{}, {}\" }}\n", key, value, how, when_);
  }
  // What follows from lockstep's own code, or from how the rest was measured.
  void stated(const std::string& key, const std::string& value, const std::string& why) {
    text_ += fmt::format("{} = {{ value = {}, stated = \"{}\" }}\n", key, value, why);
  }
  void assumed(const std::string& key, const std::string& value, const std::string& why) {
    text_ += fmt::format("{} = {{ value = {}, assumed = \"{}\" }}\n", key, value, why);
  }
  const std::string& text() const { return text_; }

 private:
  std::string when_, text_;
};

std::string number(double value) { return fmt::format("{:.6g}", value); }

std::string rows_text(const std::vector<SizeClass>& classes) {
  std::vector<std::string> rows;
  for (const SizeClass& each : classes) {
    rows.push_back(
        fmt::format("[{:.6g}, {:.6g}, {:.6g}]", each.up_to_mb, each.latency_us, each.gbyte));
  }
  return fmt::format("[{}]", fmt::join(rows, ", "));
}

std::string residual_text(std::span<const SizeFit> fits) {
  std::vector<std::string> parts;
  for (const SizeFit& fit : fits) parts.push_back(fmt::format("{:.0f} %", 100 * fit.residual));
  return fmt::format("{}", fmt::join(parts, ", "));
}

class Calibration {
 public:
  explicit Calibration(const CalibrationRuns& runs)
      : runs_(runs),
        facts_(runs.all.facts),
        per_node_((facts_.devices + facts_.nodes - 1) / facts_.nodes),
        writer_(runs.when) {}

  CalibratedCluster run() {
    write_hardware();
    write_transfers();
    write_schedule();
    write_jitter();
    write_rate();
    if (runs_.servers) write_servers();
    return {.cluster = read(writer_.text()), .text = writer_.text(), .notes = std::move(notes_)};
  }

 private:
  static Cluster read(const std::string& text) {
    ReadCluster read = read_cluster(text, "calibration");
    if (!read.problems.empty()) throw Error("{}", fmt::join(read.problems, "\n"));
    read.cluster.name = "this-machine";
    return std::move(read.cluster);
  }

  void write_hardware() {
    writer_.plain("# Written by 'lockstep calibrate'.");
    writer_.plain(fmt::format("description = \"{} node{} x {} device{}, calibrated {}\"",
                              facts_.nodes, facts_.nodes == 1 ? "" : "s", per_node_,
                              per_node_ == 1 ? "" : "s", runs_.when));
    if (facts_.nodes > 1) {
      writer_.assumed("nodes", "4096", "more nodes of the same kind");
    } else {
      writer_.measured("nodes", "1", "the run on all devices");
    }
    writer_.measured("devices_per_node", fmt::to_string(per_node_), "the run on all devices");
    writer_.measured("calibrated_devices", fmt::to_string(facts_.devices),
                     "the run on all devices");
    writer_.section("device");
    const bool cpu = on_cpu();
    writer_.measured("kind", cpu ? "\"cpu\"" : "\"gpu\"", "the run on all devices");
    writer_.section("node");
    if (cpu) {
      writer_.stated("links", "\"shm\"", "ranks of one host share memory");
    } else {
      writer_.assumed("links", "\"pcie3\"", "the least that GPUs of one host have");
    }
    // Devices that share a machine slow each other also without communication.
    const double slower = computing(runs_.independent) / computing(runs_.one) - 1;
    writer_.measured(per_node_ > 1 ? "shared_slowdown" : "others_slowdown",
                     number(std::clamp(slower, 0.0, 0.99)),
                     "all devices without communication beside one");
    const auto& inside = facts_.nodes == 1 ? runs_.all_reduce : runs_.inside_node;
    if (inside.size() >= 2 && per_node_ > 1) {
      const SizeFit fit = fit_sizes(inside).back();
      const SizeClass hop = hops_of(std::span(&fit, 1), per_node_).front();
      const std::string how =
          fmt::format("all-reduce in one node, residual {:.0f} %", 100 * fit.residual);
      writer_.measured("ring_gbyte", fmt::format("[[{}, {:.6g}]]", per_node_, hop.gbyte), how);
      writer_.measured("latency_us", number(std::max(0.01, hop.latency_us)), how);
    }
  }

  void write_transfers() {
    if (facts_.nodes > 1) {
      const std::vector<SizeFit> fits = fit_sizes(runs_.all_reduce);
      const std::vector<SizeClass> hops = hops_of(fits, facts_.devices);
      const bool both = runs_.two_nodes.size() < 2;
      const std::vector<SizeFit> pair_fits = fit_sizes(both ? runs_.all_reduce : runs_.two_nodes);
      const std::vector<SizeClass> pair = hops_of(pair_fits, both ? facts_.devices : 2);
      const std::string how = "between two nodes, residuals " + residual_text(pair_fits);
      writer_.section("network");
      writer_.measured("line_gbit", number(8 * pair.back().gbyte), how);
      write_transport();
      writer_.stated("spread", "0", "the slowest link is part of what was measured");
      writer_.section("transport." + runs_.transport);
      writer_.measured("gbyte", number(pair.back().gbyte), how);
      writer_.measured("latency_us", number(std::max(0.01, pair.front().latency_us)), how);
      writer_.section("collectives");
      write_library();
      writer_.measured("sizes", rows_text(hops),
                       fmt::format("all-reduce by size, residuals {}", residual_text(fits)));
      notes_.push_back("all-reduce by size: residuals of the fits " + residual_text(fits));
      return;
    }
    writer_.section("collectives");
    write_library();
  }

  // Our own communicators use TCP; what those of a library use shows only in the host's adapters.
  void write_transport() {
    const std::string name = fmt::format("\"{}\"", runs_.transport);
    if (chooses_transport(facts_.communicator)) {
      writer_.assumed("transport", name, "what the adapters of this host let the library use");
    } else {
      writer_.stated("transport", name, "how lockstep's communicators reach other hosts");
    }
  }

  bool on_cpu() const { return runs_.all.config.device == "cpu"; }

  void write_library() {
    if (on_cpu()) return writer_.stated("library", "\"lockstep\"", "its own communicators");
    writer_.stated("library", "\"nccl\"", "what lockstep reduces on GPUs with");
  }

  // How much communication slows the computing beside it: threads that send need cores as well.
  void write_schedule() {
    const Cluster so_far = read(writer_.text());
    Scenario scenario{.batch = facts_.batch_size, .devices = facts_.devices};
    scenario.one_device_step = facts_.batch_size / runs_.one.throughput.total_images_per_second;
    const Workload& workload = workload_of(runs_.one.config);
    const CollectiveCost cost = collective_cost(so_far, scenario, layout_of(so_far, scenario));
    const double sending = cost.bandwidth_seconds(workload.bytes);
    const double slower = computing(runs_.all) - computing(runs_.independent);
    writer_.section("schedule");
    writer_.stated("scheduler", "\"buckets\"", "lockstep's own");
    writer_.stated("overhead", "0", "part of what was measured");
    constexpr double kVisible = 0.02;
    if (sending > kVisible * scenario.one_device_step) {
      const double beside = std::min(sending, seconds_in(runs_.independent, {Phase::Backward}));
      writer_.measured("interference", number(std::clamp(slower / beside, 0.0, 3.0)),
                       "backward beside all-reduces");
    } else {
      writer_.assumed("interference", "0", "too little is sent to see it");
      notes_.push_back(fmt::format(
          "{} sends for {:.2g} % of a step: the network's rate comes from the all-reduces alone",
          facts_.model, 100 * sending / scenario.one_device_step));
    }
  }

  void write_jitter() {
    // Beside communication, ranks also differ because they wait for it.
    const MeasuredJitter jitter = jitter_of(runs_.independent);
    writer_.section("jitter");
    writer_.measured("rank", number(jitter.rank), "own time of ranks from step to step");
    writer_.measured("node", number(jitter.node), "mean own time of hosts");
  }

  void write_rate() {
    writer_.section("images_per_second");
    writer_.measured(fmt::format("\"{}:{}\"", facts_.model, facts_.batch_size),
                     number(runs_.one.throughput.total_images_per_second), "the run on one device");
  }

  void write_servers() {
    const ServerFit fit = fit_servers(read(writer_.text()), runs_);
    writer_.section("servers");
    writer_.measured("workers_per_node", fmt::to_string(per_node_), "one worker per device");
    writer_.measured("count", fmt::to_string(std::max(1, runs_.servers->facts.servers)),
                     "the run with servers");
    writer_.stated("hidden_pull", "0", "lockstep fetches all values before forward");
    writer_.stated("barrier_us", "0", "servers count; workers send no tokens");
    writer_.measured("interference", number(fit.interference), "backward beside pushes");
    write_server_rate(fit);
    if (fit.request_us) {
      writer_.measured("request_us", number(*fit.request_us),
                       fmt::format("waiting for the servers of {}, residual {:.0f} %",
                                   runs_.many_servers->facts.model, 100 * fit.request_residual));
    } else {
      notes_.push_back(fmt::format(
          "{} has variables like those of {}: what servers take for each cannot be told from "
          "their rate",
          facts_.model, kManyVariables));
    }
  }

  void write_server_rate(const ServerFit& fit) {
    if (fit.gbyte) {
      const char* key = facts_.nodes == 1 ? "loopback_gbyte" : "gbyte";
      writer_.measured(
          key, number(*fit.gbyte),
          fmt::format("waiting in the run with servers, residual {:.0f} %", 100 * fit.residual));
    } else if (facts_.nodes > 1) {
      notes_.emplace_back("parameter servers are as fast as the network");
    } else {
      notes_.push_back(fmt::format(
          "{} does not wait for parameter servers: their rate is not known", facts_.model));
    }
  }

  const CalibrationRuns& runs_;
  const RunFacts& facts_;
  int per_node_;
  Writer writer_;
  std::vector<std::string> notes_;
};

}  // namespace

bool chooses_transport(const std::string& communicator) {
  return communicator == "nccl" || communicator.ends_with("mpi");
}

CalibratedCluster calibrated(const CalibrationRuns& runs) { return Calibration(runs).run(); }

}  // namespace lockstep
