#include "report/render/budget_words.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "config/run_label.h"
#include "report/analysis/trust.h"

namespace lockstep {
namespace {

constexpr double kLittle = 0.02;     // of the ideal: not worth a change
constexpr double kPrinted = 0.0005;  // 0.1 points after rounding

struct Case {
  const LossBudget& budget;
  const RunResult& run;
  LossPart part;  // the largest

  double milliseconds() const { return 1e3 * budget.seconds[static_cast<size_t>(part)]; }
  int workers() const { return run.facts.workers_here; }
  int cores() const {
    return run.facts.cores_here > 0 ? run.facts.cores_here : run.host.usable_threads;
  }
  // The rank that causes at least half of the lateness; null: there is none.
  const LateRank* one_late() const {
    double all = 0;
    for (const LateRank& each : budget.path.late) all += each.fraction * each.seconds;
    if (budget.path.late.empty()) return nullptr;
    const LateRank& worst = budget.path.late.front();
    const double chance = 1.0 / std::max(run.facts.devices, 1);
    const bool often = worst.fraction >= std::min(0.9, 1.5 * chance);
    return often && worst.fraction * worst.seconds >= all / 2 ? &worst : nullptr;
  }
  bool compresses() const { return run.config.gradient_compression != "none"; }
};

std::string fewer_bytes(const Case& it) {
  return it.compresses() ? "" : ", --gradient-compression fp16 halves the bytes";
}

bool is_faster(const Case& it) { return it.budget.lost() < 0; }
std::string on_faster(const Case&) {
  return "Faster than ideal: more devices have more cache in all, or the base was slowed.";
}

bool is_little(const Case& it) { return it.budget.lost() < kLittle; }
std::string on_little(const Case&) { return "Little is lost; no part is worth a change."; }

bool is_unknown(const Case& it) { return it.part == LossPart::Unknown; }
std::string on_unknown(const Case&) {
  return "The results have no times of phases, so the loss cannot be split.";
}

bool computes_slower(const Case& it) { return it.part == LossPart::SlowerCompute; }

// Only if it explains at least half: a little is taken on every virtual machine.
bool is_stolen(const Case& it) {
  return computes_slower(it) &&
         it.run.stolen_cpu_fraction.value_or(0) > it.budget.part(it.part) / 2;
}
std::string on_stolen(const Case& it) {
  return fmt::format(
      "Other virtual machines took {:.1f} % of processor time; use a dedicated machine.",
      100 * *it.run.stolen_cpu_fraction);
}

bool is_busy(const Case& it) { return computes_slower(it) && others_ran_before(it.run.host); }
std::string on_busy(const Case& it) {
  return fmt::format(
      "Other processes were running (load average {:.1f} before the launch); stop them and measure "
      "again.",
      *it.run.host.load);
}

bool is_oversubscribed(const Case& it) {
  return computes_slower(it) && it.workers() * it.run.facts.threads > it.cores();
}
std::string on_oversubscribed(const Case& it) {
  return fmt::format("{} workers with {} each share {} cores; try --threads {} or fewer devices.",
                     it.workers(), count_text(it.run.facts.threads, "thread"), it.cores(),
                     std::max(1, it.cores() / it.workers()));
}

bool is_shared(const Case& it) { return computes_slower(it) && it.workers() > 1; }
std::string on_shared(const Case& it) {
  const bool numa = it.run.host.numa_nodes.value_or(1) > 1;
  return fmt::format(
      "{} workers on one host share memory bandwidth and caches. A larger batch will not help; "
      "{} may.",
      it.workers(),
      numa ? "one worker per NUMA node, or fewer workers with more threads,"
           : "fewer workers with more threads, or pinning to different caches,");
}

std::string on_hosts(const Case&) {
  return "Compute is slower although no worker shares its host. Compare the hosts: lockstep doctor "
         "--hosts.";
}

bool is_beside(const Case& it) { return it.part == LossPart::BesideCommunication; }
std::string on_beside(const Case& it) {
  const int threads = it.run.facts.threads;
  return fmt::format(
      "Communication takes cores or memory bandwidth from compute. Try {}, so that it has a core "
      "of its own.",
      threads > 1 ? fmt::format("--threads {}", threads - 1) : "fewer workers per host");
}

bool has_one_late(const Case& it) {
  return it.part == LossPart::LateRanks && it.one_late() != nullptr;
}
std::string on_one_late(const Case& it) {
  const LateRank& late = *it.one_late();
  return fmt::format(
      "Rank {}{} was late in {:.0f} % of steps, by {:.1f} ms{}. Look for other processes, a lower "
      "clock or fewer cores there.",
      late.rank, late.host.empty() ? "" : fmt::format(" ({})", late.host), 100 * late.fraction,
      1e3 * late.seconds, late.where.empty() ? "" : ", in " + late.where);
}

bool has_jitter(const Case& it) { return it.part == LossPart::LateRanks; }
std::string on_jitter(const Case&) {
  return "Ranks are late in turn, none much more often than the others. Stop other processes or "
         "pin threads; a larger batch also evens it out.";
}

bool is_wire(const Case& it) { return it.part == LossPart::Wire; }
std::string on_wire(const Case& it) {
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

bool is_queue(const Case& it) { return it.part == LossPart::Queue; }
std::string on_queue(const Case& it) {
  const std::string overlap = it.run.config.overlap ? "" : " --overlap hides them behind backward.";
  return fmt::format(
      "Buckets wait for each other: {} take {:.1f} ms of a {:.1f} ms step. A larger batch or a "
      "faster link hides more{}.{}",
      bytes_text(it.budget.path.transfer_bytes), 1e3 * it.budget.path.transfer_seconds,
      1e3 * it.budget.step, fewer_bytes(it), overlap);
}

bool is_servers(const Case& it) { return it.part == LossPart::Servers; }
std::string on_servers(const Case& it) {
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

bool is_input(const Case& it) { return it.part == LossPart::Input; }
std::string on_input(const Case& it) {
  return fmt::format(
      "Steps wait {:.1f} ms for images. Try more --data-threads, packed data (lockstep data pack) "
      "or faster storage; lockstep data bench measures them.",
      it.milliseconds());
}

std::string on_between(const Case& it) {
  return fmt::format(
      "{:.1f} ms pass between steps: step lines, checkpoints, agreement. Try a larger "
      "--display-every, and save less often.",
      it.milliseconds());
}

bool always(const Case&) { return true; }

struct Rule {
  const char* name;
  bool (*applies)(const Case&);
  std::string (*sentence)(const Case&);
};
constexpr Rule kRules[] = {{"faster", is_faster, on_faster},
                           {"little", is_little, on_little},
                           {"unknown", is_unknown, on_unknown},
                           {"stolen", is_stolen, on_stolen},
                           {"busy", is_busy, on_busy},
                           {"oversubscribed", is_oversubscribed, on_oversubscribed},
                           {"shared-memory", is_shared, on_shared},
                           {"hosts", computes_slower, on_hosts},
                           {"beside-communication", is_beside, on_beside},
                           {"late-rank", has_one_late, on_one_late},
                           {"jitter", has_jitter, on_jitter},
                           {"wire", is_wire, on_wire},
                           {"queue", is_queue, on_queue},
                           {"servers", is_servers, on_servers},
                           {"input", is_input, on_input},
                           {"between-steps", always, on_between}};

// "late rank 1" if one rank causes most of it.
std::string name_of(LossPart part, const Case& it) {
  const LateRank* late = part == LossPart::LateRanks ? it.one_late() : nullptr;
  return late ? fmt::format("late rank {}", late->rank)
              : std::string(kLossParts[static_cast<size_t>(part)].name);
}

std::string verdict_of(const Case& it) {
  std::vector<LossPart> order;
  for (size_t i = 0; i < kLossPartCount; ++i) order.push_back(static_cast<LossPart>(i));
  std::ranges::stable_sort(order, std::greater<>(), [&](LossPart p) { return it.budget.part(p); });
  std::vector<std::string> lost, gained;
  for (const LossPart part : order) {
    const double points = it.budget.part(part);
    if (std::abs(points) < kPrinted) continue;
    (points > 0 ? lost : gained)
        .push_back(fmt::format("{:.1f} {}", 100 * std::abs(points), name_of(part, it)));
  }
  const double points = 100 * it.budget.lost();
  std::string text = fmt::format("{:.1f} %{}", 100 * it.budget.efficiency.value,
                                 it.budget.base ? "" : " of a step computes");
  if (lost.empty() && gained.empty()) return text;
  text += fmt::format(" ({} {:.1f} points", points < 0 ? "gained" : "lost", std::abs(points));
  if (!lost.empty()) text += fmt::format(": {}", fmt::join(lost, ", "));
  if (!gained.empty()) text += fmt::format("; gained {}", fmt::join(gained, ", "));
  return text + ")";
}

std::string basis_of(const LossBudget& budget) {
  if (!budget.base && budget.source != BudgetSource::Nothing) {
    return "without a run on fewer devices, slower compute is not known: lockstep sweep --explain";
  }
  switch (budget.source) {
    case BudgetSource::Experiment:
      return "slower compute measured without communication";
    case BudgetSource::Records:
      return "from the records of each step; sweep --explain measures slower compute apart";
    case BudgetSource::Phases:
      return "from mean phases; waiting counts as wire";
    case BudgetSource::Nothing:
      break;
  }
  return "no phases";
}

}  // namespace

BudgetWords words_on(const LossBudget& budget, const RunResult& run) {
  const Case it = {budget, run, budget.largest()};
  const Rule& rule =
      *std::ranges::find_if(kRules, [&](const Rule& each) { return each.applies(it); });
  return {.rule = rule.name,
          .verdict = verdict_of(it),
          .advice = rule.sentence(it),
          .basis = basis_of(budget)};
}

std::string subject_of(const ScalingReport& report, const Configuration& each) {
  const std::string settings = settings_label(each.config, report.differing);
  return fmt::format("{}:{} on {}{}{}", each.config.model, each.config.batch_size,
                     count_text(each.devices, "device"), settings.empty() ? "" : ", ", settings);
}

}  // namespace lockstep
