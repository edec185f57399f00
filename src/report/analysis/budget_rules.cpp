#include "report/analysis/budget_rules.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "config/run_label.h"
#include "report/analysis/trust.h"

namespace lockstep {
namespace {

constexpr double kLittle = 0.02;  // of the ideal: not worth a change

std::string fewer_bytes(const BudgetCase& it) {
  return it.can_compress() ? ", --gradient-compression fp16 halves the bytes" : "";
}

// An interval that includes no loss, and more than a little: then every cause is a guess, unless
// its own interval excludes 0.
bool is_noise(const BudgetCase& it) {
  const auto lost = it.budget.lost_95(), most = it.budget.part_95(it.part());
  if (most && most->low > 0 && it.budget.part(it.part()) >= kLittle) return false;
  return lost && lost->low < 0 && lost->high > 0 && std::max(-lost->low, lost->high) > kLittle;
}
std::string on_noise(const BudgetCase& it) {
  return fmt::format(
      "The {} cannot be told from noise: launches differ too much. Raise --repeats, and measure on "
      "an idle machine.",
      it.budget.lost() < 0 ? "gain" : "loss");
}

// Parts that cancel each other are worth a look.
bool no_part_is_large(const BudgetCase& it) { return it.budget.part(it.part()) < kLittle; }

bool is_faster(const BudgetCase& it) { return it.budget.lost() < 0 && no_part_is_large(it); }
std::string on_faster(const BudgetCase&) {
  return "Faster than ideal: more devices have more cache in all, or the base was slowed.";
}

bool lacks_base(const BudgetCase& it) { return !it.budget.base && it.budget.lost() < kLittle; }
std::string on_no_base(const BudgetCase& it) {
  return fmt::format(
      "Little is lost by waiting. Whether compute is slower than on fewer devices is not known{}.",
      it.run.config.program.empty() ? "; lockstep sweep --num-devices 1,N tells" : "");
}

bool is_little(const BudgetCase& it) { return it.budget.lost() < kLittle && no_part_is_large(it); }
std::string on_little(const BudgetCase&) { return "Little is lost; no part is worth a change."; }

bool is_unknown(const BudgetCase& it) { return it.part() == LossPart::Unknown; }
std::string on_unknown(const BudgetCase&) {
  return "The results have no times of phases, so the loss cannot be split.";
}

bool computes_slower(const BudgetCase& it) { return it.part() == LossPart::SlowerCompute; }

bool has_fewer_threads(const BudgetCase& it) {
  return computes_slower(it) && it.run.config.device == "cpu" &&
         it.budget.base_threads > it.run.facts.threads;
}
std::string on_fewer_threads(const BudgetCase& it) {
  const int threads = it.run.facts.threads;
  return fmt::format(
      "A device of the base had {}, one of this run {}. Measure both with --threads {}.",
      count_text(it.budget.base_threads, "thread"), threads, threads);
}

const GpuRecord* throttled_gpu(const BudgetCase& it) {
  const auto found = std::ranges::find_if(
      it.run.gpus, [](const GpuRecord& gpu) { return !gpu.throttled.empty(); });
  return found == it.run.gpus.end() ? nullptr : &*found;
}
bool is_throttled(const BudgetCase& it) { return computes_slower(it) && throttled_gpu(it); }
std::string on_throttled(const BudgetCase& it) {
  const GpuRecord& gpu = *throttled_gpu(it);
  return fmt::format(
      "The GPU of rank {}{} was throttled ({}). Check its cooling and power limit: nvidia-smi -q.",
      gpu.rank, gpu.host.empty() ? "" : fmt::format(" ({})", gpu.host),
      fmt::join(gpu.throttled, ", "));
}

// Only if it explains at least half: a little is taken on every virtual machine.
bool is_stolen(const BudgetCase& it) {
  return computes_slower(it) &&
         it.run.stolen_cpu_fraction.value_or(0) >= it.budget.part(it.part()) / 2;
}
std::string on_stolen(const BudgetCase& it) {
  return fmt::format(
      "Other virtual machines took {:.1f} % of processor time; use a dedicated machine.",
      100 * *it.run.stolen_cpu_fraction);
}

bool is_busy(const BudgetCase& it) { return computes_slower(it) && others_ran_before(it.run.host); }
std::string on_busy(const BudgetCase& it) {
  return fmt::format(
      "Other processes were running (load average {:.1f} before the launch); stop them and measure "
      "again.",
      *it.run.host.load);
}

bool is_on_gpus(const BudgetCase& it) {
  return computes_slower(it) && it.run.config.device != "cpu";
}
std::string on_gpus(const BudgetCase&) {
  return "GPUs do not share caches or memory. Compare their clocks (nvidia-smi -q -d CLOCK), and "
         "the processor cores that feed each of them.";
}

bool is_oversubscribed(const BudgetCase& it) {
  const int threads = it.workers() * it.run.facts.threads;
  return computes_slower(it) && threads > it.cores() &&
         threads > it.budget.base_workers * it.budget.base_threads;
}
std::string on_oversubscribed(const BudgetCase& it) {
  const int fair = std::max(1, it.cores() / it.workers());
  return fmt::format("{} workers with {} each share {}; try {}fewer devices.", it.workers(),
                     count_text(it.run.facts.threads, "thread"), count_text(it.cores(), "core"),
                     fair < it.run.facts.threads ? fmt::format("--threads {} or ", fair) : "");
}

// What as many workers of the base share, too, makes none slower than there.
bool is_shared(const BudgetCase& it) {
  return computes_slower(it) && it.workers() > std::max(it.budget.base_workers, 1);
}
std::string on_shared(const BudgetCase& it) {
  const bool numa = it.run.host.numa_nodes.value_or(1) > 1;
  return fmt::format(
      "{} workers on one host share memory bandwidth and caches. A larger batch will not help; "
      "{} may.",
      it.workers(),
      numa ? "one worker per NUMA node, or fewer workers with more threads,"
           : "fewer workers with more threads, or pinning to different caches,");
}

std::string on_hosts(const BudgetCase& it) {
  return fmt::format("Compute is slower although {}. Compare the hosts: lockstep doctor --hosts.",
                     it.workers() > 1 ? "a host has no more workers than in the base"
                                      : "no worker shares its host");
}

bool is_beside(const BudgetCase& it) { return it.part() == LossPart::BesideCommunication; }
std::string on_beside(const BudgetCase& it) {
  const int threads = it.run.facts.threads;
  return fmt::format(
      "Communication takes cores or memory bandwidth from compute. Try {}, so that it has a core "
      "of its own.",
      threads > 1 ? fmt::format("--threads {}", threads - 1) : "fewer workers per host");
}

bool has_slow_ranks(const BudgetCase& it) {
  return it.part() == LossPart::LateRanks && !it.slow().empty();
}
std::string on_slow_ranks(const BudgetCase& it) { return words_on_slow_ranks(it.slow()); }

bool has_jitter(const BudgetCase& it) { return it.part() == LossPart::LateRanks; }
std::string on_jitter(const BudgetCase&) {
  return "Ranks are late in turn, none much more often than the others. Stop other processes or "
         "pin threads; a larger batch also evens it out.";
}

bool is_wire_or_servers(const BudgetCase& it) {
  return it.part() == LossPart::Wire && it.hides_servers();
}
std::string on_wire_or_servers(const BudgetCase& it) {
  return fmt::format(
      "Workers wait {:.1f} ms per step for {}. Whether {} or the link takes this time cannot be "
      "told. Try more --num-ps, a faster link or a larger batch.",
      it.milliseconds(), count_text(it.run.facts.servers, "parameter server"),
      it.run.facts.servers == 1 ? "it" : "all of them");
}

bool is_wire(const BudgetCase& it) { return it.part() == LossPart::Wire; }
std::string on_wire(const BudgetCase& it) {
  if (it.budget.path.last_bytes == 0) {
    return fmt::format(
        "Steps wait {:.1f} ms for communication. A larger batch or a faster link hides more{}.",
        it.milliseconds(), fewer_bytes(it));
  }
  return fmt::format(
      "The last bucket ({}) is under way for {:.1f} ms after backward. A smaller --bucket-mb, a "
      "larger batch or a faster link hides more{}.",
      bytes_text(it.budget.path.last_bytes), it.milliseconds(), fewer_bytes(it));
}

bool is_queue(const BudgetCase& it) { return it.part() == LossPart::Queue; }

// Longer than all transfers take: then it is not each other that they wait for.
bool starts_late(const BudgetCase& it) {
  return is_queue(it) && 1e3 * it.budget.path.transfer_seconds < it.milliseconds();
}
std::string on_late_start(const BudgetCase& it) {
  return fmt::format(
      "The last transfer begins {:.1f} ms after its gradients are ready, though all together take "
      "only {:.1f} ms: the thread that communicates waits for a core. Fewer --threads leave it "
      "one.",
      it.milliseconds(), 1e3 * it.budget.path.transfer_seconds);
}

std::string on_queue(const BudgetCase& it) {
  const std::string overlap = it.run.config.overlap ? "" : " --overlap hides them behind backward.";
  return fmt::format(
      "Buckets wait for each other: {} take {:.1f} ms of a {:.1f} ms step. A larger batch or a "
      "faster link hides more{}.{}",
      bytes_text(it.budget.path.transfer_bytes), 1e3 * it.budget.path.transfer_seconds,
      1e3 * it.budget.step, fewer_bytes(it), overlap);
}

bool is_servers(const BudgetCase& it) { return it.part() == LossPart::Servers; }
std::string on_servers(const BudgetCase& it) {
  std::string which;
  if (!it.budget.path.servers.empty()) {
    const ServerWait& worst = it.budget.path.servers.front();
    which = worst.server < 0
                ? fmt::format(" most for {}", worst.variable)
                : fmt::format(" most for server {} ({})", worst.server, worst.variable);
  }
  const bool sharded = it.run.config.ps_placement == "sharded";
  return fmt::format(
      "Workers wait {:.1f} ms per step for parameter servers,{}. Try more --num-ps{}.",
      it.milliseconds(), which.empty() ? " all alike" : which,
      sharded ? "" : " or --ps-placement sharded");
}

bool is_input(const BudgetCase& it) { return it.part() == LossPart::Input; }
std::string on_input(const BudgetCase& it) {
  return fmt::format(
      "Steps wait {:.1f} ms for images. Try more --data-threads, packed data (lockstep data pack) "
      "or faster storage; lockstep data bench measures them.",
      it.milliseconds());
}

std::string on_between(const BudgetCase& it) {
  if (has_framework(it.run.config)) {
    return fmt::format("{:.1f} ms pass between steps, in the loop of {}.", it.milliseconds(),
                       engine_label(it.run.config));
  }
  return fmt::format(
      "{:.1f} ms pass between steps: step lines, checkpoints, agreement. Try a larger "
      "--display-every, and save less often.",
      it.milliseconds());
}

bool always(const BudgetCase&) { return true; }

constexpr BudgetRule kRules[] = {{"noise", is_noise, on_noise},
                                 {"faster", is_faster, on_faster},
                                 {"no-base", lacks_base, on_no_base},
                                 {"little", is_little, on_little},
                                 {"unknown", is_unknown, on_unknown},
                                 {"threads", has_fewer_threads, on_fewer_threads},
                                 {"throttled", is_throttled, on_throttled},
                                 {"stolen", is_stolen, on_stolen},
                                 {"busy", is_busy, on_busy},
                                 {"gpus", is_on_gpus, on_gpus},
                                 {"oversubscribed", is_oversubscribed, on_oversubscribed},
                                 {"shared-memory", is_shared, on_shared},
                                 {"hosts", computes_slower, on_hosts},
                                 {"beside-communication", is_beside, on_beside},
                                 {"late-rank", has_slow_ranks, on_slow_ranks},
                                 {"jitter", has_jitter, on_jitter},
                                 {"wire-and-servers", is_wire_or_servers, on_wire_or_servers},
                                 {"wire", is_wire, on_wire},
                                 {"late-start", starts_late, on_late_start},
                                 {"queue", is_queue, on_queue},
                                 {"servers", is_servers, on_servers},
                                 {"input", is_input, on_input},
                                 {"between-steps", always, on_between}};

}  // namespace

int BudgetCase::cores() const {
  return run.facts.cores_here > 0 ? run.facts.cores_here : run.host.usable_threads;
}

std::span<const LateRank> BudgetCase::slow() const {
  return slow_ranks(budget.path, run.facts.devices);
}

// Frameworks and external programs send gradients their own way; servers take no others.
bool BudgetCase::can_compress() const {
  return run.config.gradient_compression == "none" && run.facts.servers == 0 &&
         !has_framework(run.config) && run.config.program.empty();
}

bool BudgetCase::hides_servers() const {
  constexpr double kNoticeable = 0.25;  // of the wire
  return run.facts.servers > 0 && !budget.path.servers_measured &&
         budget.path.part(PathPart::Servers) <= kNoticeable * budget.path.part(PathPart::Wire);
}

std::span<const BudgetRule> budget_rules() { return kRules; }

const BudgetRule& rule_for(const BudgetCase& it) {
  return *std::ranges::find_if(kRules, [&](const BudgetRule& each) { return each.applies(it); });
}

}  // namespace lockstep
