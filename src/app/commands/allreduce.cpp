// allreduce.cpp: `lockstep allreduce`: measures all-reduce bandwidth and latency by message size.
//
// Like train, this process is either the launcher of N ranks on this machine, or one of the ranks
// that mpirun, srun or a launcher started. Contenders (back-ends or algorithms) take turns, so that
// their times are comparable.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/command_line.h"
#include "app/commands/allreduce_options.h"
#include "app/commands/allreduce_rows.h"
#include "app/device_choice.h"
#include "app/other_program.h"
#include "app/program.h"
#include "app/result_on_stdout.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/network_interface.h"
#include "base/utc_text.h"
#include "comm/algorithms.h"
#include "comm/all_reduce_spec.h"
#include "comm/all_reduce_timing.h"
#include "comm/all_reduce_tuning.h"
#include "comm/nccl/nccl_communicator.h"
#include "comm/own_address.h"
#include "config/json_text.h"
#include "doctor/check_hosts.h"
#include "launch/launch.h"
#include "report/render/output_lines.h"
#include "report/render/remarks.h"
#include "report/results/benchmark_log.h"
#include "run/group.h"
#include "run/rank/agreed_device.h"
#include "run/run_outputs.h"

namespace lockstep {
namespace {

struct Contender {
  std::string name;
  std::unique_ptr<Communicator> comm;
  Memory memory = {};
  std::unique_ptr<DeviceCommunicator> devices = {};  // null: it reduces in host memory
  std::unique_ptr<DeviceBuffer> buffer = {};

  TimedCommunicator timed() const {
    if (!devices) return {*comm, memory.floats()};
    return {*comm, memory.floats(), TimedDevice{*devices, *buffer}};
  }
};

bool on_gpus(const AllReduceOptions& w) { return w.run.device != "cpu"; }

int64_t most_bytes(const std::vector<Reduction>& reductions) {
  int64_t most = 0;
  for (const Reduction& reduction : reductions) most = std::max(most, reduction.bytes());
  return most;
}

// In the memory of this rank's GPU, which becomes the calling thread's; null on a CPU.
std::unique_ptr<DeviceBuffer> buffer_for(RunContext& context, const AllReduceOptions& w,
                                         Group& group) {
  if (!on_gpus(w)) return nullptr;
  const std::unique_ptr<GpuLibrary> gpus = open_gpus();
  const EngineKind& engine = find_engine(context.engines, w.run.engine);
  const RankDevice own = agreed_device(w.run, group, gpus.get(), &engine, context.environment);
  const int64_t floats = most_bytes(reductions_for(w)) / static_cast<int64_t>(sizeof(float));
  return engine.device_buffer(own.device, floats);
}

// `buffer`: of the one that works in the memory of GPUs.
std::vector<Contender> contenders_for(const AllReduceOptions& w, Group& group,
                                      std::unique_ptr<DeviceBuffer> buffer) {
  std::vector<Contender> all;
  std::vector<std::string> backends = w.backends;
  if (backends.empty()) backends.emplace_back(on_gpus(w) ? kNccl : group.backend());
  if (w.tune) {
    for (const AllReduceAlgorithm& algorithm : all_reduce_algorithms()) {
      const std::string name(algorithm.name);
      all.push_back({name, group.connect_workers("tune/" + name, backends.front(),
                                                 AllReduceRules{{.algorithm = name}})});
    }
    return all;
  }
  const AllReduceRules rules = w.run.all_reduce_spec.empty()
                                   ? AllReduceRules{}
                                   : parse_all_reduce_spec(w.run.all_reduce_spec).rules;
  for (const std::string& backend : backends) {
    if (backend == kNccl) {
      all.push_back({backend, group.connect_workers("beside/" + backend)});
      all.back().devices = group.connect_devices("reduce/" + backend);
      all.back().buffer = std::move(buffer);
      continue;
    }
    all.push_back({backend, group.connect_workers("reduce/" + backend, backend, rules)});
  }
  return all;
}

// One rank of the measurement; rank 0 collects the rows and prints each one as it is measured.
class Measurement {
 public:
  Measurement(RunContext& context, const AllReduceOptions& options, Group& group)
      : context_(context),
        options_(options),
        group_(group),
        reductions_(reductions_for(options)),
        contenders_(contenders_for(options, group, buffer_for(context, options, group))) {
    for (Contender& contender : contenders_) {
      contender.memory = contender.comm->allocate(most_bytes(reductions_));
    }
  }

  int run() {
    if (speaks()) {
      if (const auto note = note_on_load(host_)) context_.err << *note << "\n";
      context_.out << title() << all_reduce_header() << std::flush;
    }
    for (const Reduction& reduction : reductions_) measure(reduction);
    if (!speaks()) return kSuccess;
    context_.out << all_reduce_footer(rows_);
    if (options_.tune) {
      context_.out << "\n"
                   << winners_table(winners_by_size(algorithms(), algorithm_times()))
                   << "--all-reduce-spec " << tuned_spec() << "\n";
    }
    write_result();
    const int64_t wrong = wrong_numbers(rows_);
    if (wrong > 0) throw Error("{} values differ from the exact sum", wrong);
    return kSuccess;
  }

 private:
  bool speaks() const { return group_.rank() == 0; }

  std::string title() const {
    return fmt::format("{} ranks on {} {}, {} warm-up and {} timed iterations\n",
                       group_.roster().size(), group_.nodes(),
                       group_.nodes() == 1 ? "host" : "hosts", options_.warm_up,
                       options_.iterations);
  }

  void measure(const Reduction& reduction) {
    std::vector<TimedCommunicator> timed;
    for (const Contender& contender : contenders_) timed.push_back(contender.timed());
    const auto times = time_all_reduce(timed, {.message_floats = reduction.message_floats,
                                               .warm_up = options_.warm_up,
                                               .iterations = options_.iterations,
                                               .check = options_.check});
    if (!speaks()) return;
    for (size_t i = 0; i < times.size(); ++i) {
      rows_.push_back({.what = reduction.what,
                       .contender = contenders_[i].name,
                       .ranks = group_.roster().size(),
                       .bytes = reduction.bytes(),
                       .messages = std::ssize(reduction.message_floats),
                       .seconds = times[i].seconds,
                       .wrong = options_.check ? std::optional(times[i].wrong) : std::nullopt});
      context_.out << all_reduce_line(rows_.back()) << std::flush;
    }
  }

  std::vector<std::string> algorithms() const {
    std::vector<std::string> names;
    for (const Contender& contender : contenders_) names.push_back(contender.name);
    return names;
  }

  std::vector<AlgorithmTimes> algorithm_times() const {
    std::vector<AlgorithmTimes> measured;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (i % contenders_.size() == 0) measured.push_back({.bytes = rows_[i].bytes, .seconds = {}});
      measured.back().seconds.push_back(quick_seconds(rows_[i]));
    }
    return measured;
  }

  std::string tuned_spec() const {
    return spec_text(fastest_rules(algorithms(), algorithm_times()));
  }

  // Of the interface by which this rank reaches the first other host.
  nlohmann::json line_rate() const {
    const std::vector<Member>& members = group_.roster().members;
    const std::string& here = members[group_.rank()].host;
    const auto other = std::ranges::find_if(members, [&](auto& each) { return each.host != here; });
    if (other == members.end()) return nullptr;
    const std::string& given = options_.run.interface;
    const auto speed = mbit_per_second(
        interface_with(given.empty() ? way_to(other->host) : address_of_interface(given)));
    return speed ? nlohmann::json(*speed * 1e6 / 8) : nlohmann::json(nullptr);
  }

  void write_result() const {
    if (options_.run.result.empty()) return;
    nlohmann::json hosts = nlohmann::json::array(), rows = nlohmann::json::array();
    for (const Member& member : group_.roster().members) hosts.push_back(member.host);
    for (const AllReduceRow& row : rows_) rows.push_back(all_reduce_json(row));
    nlohmann::json json = {{"schema_version", 1},
                           {"kind", "allreduce"},
                           {"program_version", program_version()},
                           {"written_at", utc_text(std::chrono::system_clock::now())},
                           {"hosts", hosts},
                           {"line_rate_bytes_per_second", line_rate()},
                           {"load_before", host_.load ? nlohmann::json(*host_.load) : nullptr},
                           {"model", options_.of_model ? options_.run.model : ""},
                           {"communicator", on_gpus(options_) ? kNccl : group_.backend()},
                           {"device", options_.run.device},
                           {"all_reduce_spec", options_.run.all_reduce_spec},
                           {"gradient_compression", options_.run.gradient_compression},
                           {"warm_up", options_.warm_up},
                           {"iterations", options_.iterations},
                           {"rows", rows}};
    if (options_.tune) {
      json["tuned_all_reduce_spec"] = tuned_spec();
      json["winners"] = winners_json(winners_by_size(algorithms(), algorithm_times()));
    }
    write_whole_file(options_.run.result, json_text(json, 1) + "\n");
    const std::string line = result_line(options_.run.result);
    if (!line.empty()) context_.err << line << "\n";
  }

  Context& context_;
  const AllReduceOptions& options_;
  Group& group_;
  std::vector<Reduction> reductions_;
  std::vector<Contender> contenders_;
  std::vector<AllReduceRow> rows_;
  const HostInfo host_ = read_host();
};

int launch_all_reduce(Context& context, const AllReduceOptions& options, PerHost per_host) {
  const RankPlacement placement = place_run(options.run, per_host, context);
  if (placement.ranks.size() < 2) {
    throw UsageError(
        "one rank: an all-reduce needs at least 2; use --num-devices N or --hosts, or start "
        "several with mpirun or srun");
  }
  const auto arguments = [&](const RunConfig& run) { return all_reduce_arguments(options, run); };
  return launch(context,
                {.command = "allreduce",
                 .name = "allreduce",
                 .run = options.run,
                 .arguments = arguments,
                 .check_hosts = host_check(options.run)},
                placement);
}

int measure_all_reduce(RunContext& context, AllReduceOptions options, PerHost per_host) {
  const RankIdentity identity = find_identity(options.run, context.environment);
  if (identity.rendezvous == Rendezvous::None) return launch_all_reduce(context, options, per_host);
  const Roles roles = roles_of(options.run, identity);
  options.run.device =
      named_device(options.run.device, &find_engine(context.engines, options.run.engine));
  Group group(identity, roles, options.run);
  Measurement measurement(context, options, group);
  const int code = measurement.run();
  if (on_gpus(options)) group.control().barrier();  // none leaves while another still reads from it
  return code;
}

}  // namespace

int allreduce_command(RunContext& context, std::span<const std::string> arguments) {
  AllReduceOptions options;
  options.run.variable_update = "replicated";  // ranks are workers only
  CommandSyntax syntax = all_reduce_syntax(options);
  bool per_host = false, json = false;
  note_given(syntax.flags, "num-devices", per_host);
  syntax.flags.push_back(result_as_json_flag(&json));
  if (answered(context, syntax, arguments)) return kSuccess;
  if (json) choose_stdout(options.run.result);
  check_options(options);
  if (on_gpus(options)) {
    options.run.engine = gpu_engine(options.run.device, context);
    if (const auto other = program_elsewhere(context.engines, options.run.engine)) {
      become(*other, context, "allreduce", arguments);
    }
  }
  const auto measure = [&](RunContext& told) {
    return measure_all_reduce(told, options, per_host ? PerHost::AsGiven : PerHost::AsSlots);
  };
  return options.run.result == "-" ? with_result_on_stdout(context, options.run, measure)
                                   : measure(context);
}

}  // namespace lockstep
