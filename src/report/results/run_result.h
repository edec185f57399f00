// run_result.h: everything that one run measured, and its JSON form.
//
// The schema version changes when a key changes its meaning or goes; new keys do not change it.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/provenance.h"
#include "base/regular_file.h"
#include "config/json_fwd.h"
#include "config/run_config.h"
#include "measure/energy_trace.h"
#include "measure/gpu_watch.h"
#include "measure/host.h"
#include "measure/stragglers.h"
#include "measure/summary.h"
#include "measure/transfers.h"
#include "report/results/path_summary.h"

namespace lockstep {

inline constexpr int kResultSchemaVersion = 1;

// What the configuration came to, with this network on this machine.
struct RunFacts {
  std::string model, dataset;
  int image_size = 0, num_classes = 0, batch_size = 0, threads = 0;
  int warmup_steps = 0, timed_steps = 0;  // as planned
  int64_t parameters = 0, gradient_tensors = 0;
  int64_t forward_macs = 0;  // per image
  int devices = 1, nodes = 1, servers = 0;
  int workers_here = 1, cores_here = 0;  // on the host of rank 0
  bool pinned = false;                   // every worker there has cores of its own
  std::string communicator = {};         // that carries gradients; empty: none does
  std::string gpus = {};                 // that rank 0's host has: "8 NVIDIA GPUs"; empty: none
};

// One operation as the engine ran it.
struct OpResult {
  std::string layer, what, kernel, output;
  int64_t forward_macs = 0;  // per image
  // Mean of the timed steps, in seconds; only with --profile.
  std::optional<double> forward_seconds, backward_seconds;
};

struct Throughput {
  double total_images_per_second = 0;  // timed steps over the longest loop of any rank
  double total_seconds = 0;
  double checkpoint_seconds = 0;          // of total_seconds, in Phase::Between of steps
  double per_device = 0, per_node = 0;    // of total_images_per_second
  double gflops = 0;                      // of total_images_per_second
  std::optional<double> fma_peak_gflops;  // measured on the cores that it had
  std::optional<double> fraction_of_peak;
};

// What one worker of several saw. All times are on the clock of rank 0.
struct RankResult {
  int rank = 0;
  std::string host, cores;
  int threads = 0;
  Seconds total{};  // of its timed loop
  std::optional<int64_t> peak_memory_bytes;
  std::vector<StepRecord> warmup_steps, steps;
  std::vector<TransferRecord> transfers;  // of the timed steps, one after the other
  std::optional<GpuRecord> gpu = {};      // on its way to RunResult::gpus
};

// The same devices without communication (--efficiency): what communication costs.
struct Independence {
  double images_per_second = 0;                          // of all devices together
  double communication_efficiency = 0;                   // the run's images per second / that
  int steps = 0;                                         // measured before and after the run
  std::array<double, kPhaseNames.size()> mean_phases{};  // seconds of a step; means over ranks
};

// What making the images took, by threads besides those that compute.
struct InputResult {
  int threads = 0;
  double processor_seconds_per_image = 0;  // reading, decoding, resizing
  int64_t skipped = 0;                     // damaged examples, of all workers
  int64_t damaged_files = 0;               // of which all or the rest is lost
  std::vector<std::string> damage = {};    // messages of the first few
};

// Of all hosts in the timed steps, as measure/energy_trace.h reads it.
struct EnergyResult {
  double joules = 0, images_per_joule = 0;
  PhaseJoules phases = {};
};

// Of --fp16-enable-auto-loss-scale.
struct LossScaleResult {
  double last = 1;
  int64_t skipped_updates = 0;  // of all steps: a gradient was not finite
};

// Of the validation examples, each once.
struct Evaluation {
  int64_t step = 0;  // updates before it
  int64_t examples = 0;
  double top_1_accuracy = 0, top_5_accuracy = 0;
  double seconds = 0;
};

// What an external program printed.
struct ProgramReading {
  std::string worker;
  std::optional<int64_t> step;
  Seconds time{};  // arrival of the line, since the start
  double images_per_second = 0;
  std::optional<double> loss = {};
};
struct ProgramRun {
  std::string name, source;                        // source: the definition's file
  std::vector<std::vector<std::string>> commands;  // of each process
  Seconds duration{};                              // with its start-up
  std::string step_lines_of = "run";               // or "worker": of the one that printed it
  std::vector<ProgramReading> step_lines, total_lines;
  std::vector<std::string> last_lines;  // of the process that failed
};

// What --framework trained with, and how far it agreed with our own engine.
struct FrameworkTrial {
  std::string mode;
  double step_seconds = 0;
};
struct FrameworkRun {
  std::string name, version, mode;
  std::vector<FrameworkTrial> trials = {};  // of rank 0; empty: the mode was given
  int checked_steps = 0;
  double loss_difference = 0;  // largest of a checked step, relative
  double loss_tolerance = 0;
  // Largest of a parameter after a checked step, as a part of what gradients changed.
  double gradient_difference = std::numeric_limits<double>::quiet_NaN();
  double gradient_tolerance = std::numeric_limits<double>::quiet_NaN();
  int noisy_rows = 0;  // parameters that rounding changes too much to compare
};

// Skipped: a sweep found that it is not supported; `error` says why.
enum class RunStatus { Completed, Interrupted, Failed, Skipped };
std::string_view name_of(RunStatus status);  // "completed"

struct RunResult {
  int schema_version = kResultSchemaVersion;
  std::string program_version;
  Provenance provenance;
  std::string origin = "measured";  // or "program NAME", "simulated ..."
  RunStatus status = RunStatus::Completed;
  std::optional<std::string> error;  // of a failed run, which has no numbers
  std::string started_at;            // UTC
  RunConfig config;
  RunFacts facts;
  Throughput throughput;
  InputResult input;
  Summary summary;
  double last_loss = 0;  // of the kind that the configuration reports
  std::optional<int64_t> peak_memory_bytes;
  std::optional<double> setup_seconds;  // from the start of the program to the first step
  HostInfo host;
  std::optional<double> stolen_cpu_fraction;  // by other virtual machines during the run
  std::map<std::string, std::string> libraries;
  std::map<std::string, std::string> conv_choices;  // by work the method, where it was measured
  std::optional<ProgramRun> program;                // absent: an engine or a framework ran it
  std::optional<FrameworkRun> framework;            // absent: no framework ran it
  std::vector<OpResult> ops;
  // Of several workers: as merge_ranks.h makes them.
  std::vector<StepRecord> warmup_steps, steps;
  std::vector<RankResult> ranks;  // empty: there was only one
  std::vector<Transfer> transfers;
  std::vector<Straggler> stragglers;
  std::optional<Independence> independent;
  std::optional<EnergyResult> energy;         // absent: not readable
  std::optional<PathSummary> path;            // absent: without phases, or an older result
  std::vector<Evaluation> evaluations;        // in order
  std::vector<GpuRecord> gpus;                // of each rank that has one
  std::optional<LossScaleResult> loss_scale;  // absent: it was fixed
  std::vector<std::string> notes;             // on what the numbers are worth

  bool simulated() const { return origin.starts_with("simulated"); }
};

Json rank_to_json(const RankResult& rank);
RankResult rank_from_json(const Json& json);

Json result_to_json(const RunResult& result);
RunResult result_from_json(const Json& json);  // throws Error on another schema
// The result file of --result. Throws Error when it cannot be written.
void write_result(const std::string& path, const RunResult& result);
// Throws UsageError if it is not a result.
RunResult read_result(const std::string& path, const FileRules& rules = {.pipes = true});

}  // namespace lockstep
