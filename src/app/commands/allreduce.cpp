// allreduce.cpp: `lockstep allreduce`: how fast ranks sum numbers up, by size.
//
// Like train, this process may find itself the launcher of N ranks on this machine, or one of the
// ranks that mpirun, srun or a launcher started. Contenders, back-ends or algorithms, take turns,
// so their times compare.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/allreduce_options.h"
#include "app/commands/allreduce_rows.h"
#include "run/group.h"
#include "launch/launch.h"
#include "run/run_outputs.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "doctor/check_hosts.h"
#include "comm/algorithms.h"
#include "comm/all_reduce_spec.h"
#include "comm/all_reduce_timing.h"
#include "comm/all_reduce_tuning.h"
#include "report/results/benchmark_log.h"
#include "report/render/remarks.h"

namespace lockstep {
namespace {

struct Contender {
  std::string name;
  std::unique_ptr<Communicator> comm;
  Memory memory = {};
};

std::vector<Contender> contenders_for(const AllReduceWishes& w, Crew& crew) {
  std::vector<Contender> all;
  std::vector<std::string> backends = w.backends;
  if (backends.empty()) backends.emplace_back(crew.backend());
  if (w.tune) {
    for (const AllReduceAlgorithm& algorithm : all_reduce_algorithms()) {
      const std::string name(algorithm.name);
      all.push_back({name, crew.connect_workers("tune/" + name, backends.front(),
                                                AllReduceRules{{.algorithm = name}})});
    }
    return all;
  }
  const AllReduceRules rules = w.run.all_reduce_spec.empty()
                                   ? AllReduceRules{}
                                   : parse_all_reduce_spec(w.run.all_reduce_spec).rules;
  for (const std::string& backend : backends) {
    all.push_back({backend, crew.connect_workers("reduce/" + backend, backend, rules)});
  }
  return all;
}

// The measuring rank of a run; rank 0 keeps the rows and shows each as it comes.
class Measurement {
 public:
  Measurement(Context& context, const AllReduceWishes& wishes, Crew& crew)
      : context_(context),
        wishes_(wishes),
        crew_(crew),
        reductions_(reductions_for(wishes)),
        contenders_(contenders_for(wishes, crew)) {
    int64_t most = 0;
    for (const Reduction& reduction : reductions_) most = std::max(most, reduction.bytes());
    for (Contender& contender : contenders_) contender.memory = contender.comm->allocate(most);
  }

  int run() {
    if (speaks()) {
      if (const auto note = note_on_load(host_)) context_.err << *note << "\n";
      context_.out << title() << all_reduce_header() << std::flush;
    }
    for (const Reduction& reduction : reductions_) measure(reduction);
    if (!speaks()) return kSuccess;
    context_.out << all_reduce_footer(rows_);
    if (wishes_.tune) context_.out << "--all-reduce-spec " << tuned_spec() << "\n";
    write_result();
    const int64_t wrong = wrong_numbers(rows_);
    if (wrong > 0) throw Error("{} numbers are not the sum", wrong);
    return kSuccess;
  }

 private:
  bool speaks() const { return crew_.rank() == 0; }

  std::string title() const {
    return fmt::format("{} ranks on {} {}, {} warm-up and {} timed iterations\n",
                       crew_.roster().size(), crew_.nodes(), crew_.nodes() == 1 ? "host" : "hosts",
                       wishes_.warm_up, wishes_.iterations);
  }

  void measure(const Reduction& reduction) {
    std::vector<TimedCommunicator> timed;
    for (Contender& contender : contenders_) {
      timed.push_back({*contender.comm, contender.memory.floats()});
    }
    const auto times = time_all_reduce(timed, {.message_floats = reduction.message_floats,
                                               .warm_up = wishes_.warm_up,
                                               .iterations = wishes_.iterations,
                                               .check = wishes_.check});
    if (!speaks()) return;
    for (size_t i = 0; i < times.size(); ++i) {
      rows_.push_back({.what = reduction.what,
                       .contender = contenders_[i].name,
                       .ranks = crew_.roster().size(),
                       .bytes = reduction.bytes(),
                       .messages = std::ssize(reduction.message_floats),
                       .seconds = times[i].seconds,
                       .wrong = wishes_.check ? std::optional(times[i].wrong) : std::nullopt});
      context_.out << all_reduce_line(rows_.back()) << std::flush;
    }
  }

  std::string tuned_spec() const {
    std::vector<std::string> algorithms;
    for (const Contender& contender : contenders_) algorithms.push_back(contender.name);
    std::vector<AlgorithmTimes> measured;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (i % algorithms.size() == 0) measured.push_back({.bytes = rows_[i].bytes, .seconds = {}});
      measured.back().seconds.push_back(quick_seconds(rows_[i]));
    }
    return spec_text(fastest_rules(algorithms, measured));
  }

  void write_result() const {
    if (wishes_.run.result.empty()) return;
    nlohmann::json hosts = nlohmann::json::array(), rows = nlohmann::json::array();
    for (const Member& member : crew_.roster().members) hosts.push_back(member.host);
    for (const AllReduceRow& row : rows_) rows.push_back(all_reduce_json(row));
    nlohmann::json json = {{"schema_version", 1},
                           {"kind", "allreduce"},
                           {"program_version", program_version()},
                           {"written_at", utc_text(std::chrono::system_clock::now())},
                           {"hosts", hosts},
                           {"load_before", host_.load ? nlohmann::json(*host_.load) : nullptr},
                           {"model", wishes_.of_model ? wishes_.run.model : ""},
                           {"communicator", crew_.backend()},
                           {"all_reduce_spec", wishes_.run.all_reduce_spec},
                           {"gradient_compression", wishes_.run.gradient_compression},
                           {"warm_up", wishes_.warm_up},
                           {"iterations", wishes_.iterations},
                           {"rows", rows}};
    if (wishes_.tune) json["tuned_all_reduce_spec"] = tuned_spec();
    write_whole_file(wishes_.run.result, json.dump(1) + "\n");
    context_.err << result_line(wishes_.run.result) << "\n";
  }

  Context& context_;
  const AllReduceWishes& wishes_;
  Crew& crew_;
  std::vector<Reduction> reductions_;
  std::vector<Contender> contenders_;
  std::vector<AllReduceRow> rows_;
  const HostInfo host_ = read_host();
};

int launch_all_reduce(Context& context, const AllReduceWishes& wishes, PerHost per_host) {
  const RunPlaces places = places_for(wishes.run, per_host, context);
  if (places.ranks.size() < 2) {
    throw UsageError(
        "one rank has nobody to sum with; use --num-devices N or --hosts, or start several with "
        "mpirun or srun");
  }
  const auto arguments = [&](const RunConfig& run) { return all_reduce_arguments(wishes, run); };
  return launch(
      context,
      {.command = "allreduce",
       .name = "allreduce",
       .run = wishes.run,
       .arguments = arguments,
       .check_hosts = check_hosts},
      places);
}

}  // namespace

int allreduce_command(RunContext& context, std::span<const std::string> arguments) {
  AllReduceWishes wishes;
  wishes.run.variable_update = "replicated";  // ranks are workers only
  CommandSyntax syntax = all_reduce_syntax(wishes);
  bool per_host = false;
  note_given(syntax.flags, "num-devices", per_host);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  check_wishes(wishes);
  const Place place = find_place(wishes.run, context.environment);
  if (place.meeting == Meeting::Nobody) {
    return launch_all_reduce(context, wishes, per_host ? PerHost::AsSaid : PerHost::AsSlots);
  }
  const Roles roles = roles_of(wishes.run, place);
  Crew crew(place, roles, wishes.run);
  return Measurement(context, wishes, crew).run();
}

}  // namespace lockstep
