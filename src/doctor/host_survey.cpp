#include "doctor/host_survey.h"

#include <fmt/ranges.h>

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "config/json.h"
#include "config/json_text.h"
#include "framework/frameworks.h"
#include "launch/agent_protocol.h"
#include "launch/deploy.h"
#include "process/run_commands.h"

namespace lockstep {
namespace {

constexpr int kClockQuestions = 5;
constexpr size_t kMostComplaints = 4;
constexpr size_t kMostForAllPairs = 8;  // more hosts: only links to the next host are measured
constexpr Seconds kForAHost{30}, kSilence{30}, kForAFramework{180}, kForNccl{90};

double now_seconds() {
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

struct Question {
  size_t host;
  std::string name;
  Json options = Json::object();
};

// Questions of a batch are sent together; the next batch waits for all answers.
using Batch = std::vector<Question>;

class Surveyor {
 public:
  Surveyor(const ProbeRoute& route, const SurveyOptions& options, const std::string& token)
      : route_(route), options_(options), token_(token) {
    for (const std::string& name : route.names) survey_.hosts.push_back({.name = name});
    ports_.resize(route.names.size());
    greet();
    batches_.push_back(about_themselves());
    for (int i = 0; i < kClockQuestions; ++i) batches_.push_back(for_all("time"));
    if (!options.frameworks.names.empty()) {
      const Json question = {{"names", options.frameworks.names},
                             {"python", options.frameworks.python}};
      batches_.push_back(for_all("frameworks", question));
    }
    if (!options.thorough) return;
    batches_.push_back(for_all("programs"));
    batches_.push_back(for_all("compute"));
    if (options.wants_gpus) batches_.push_back(for_all("nccl"));
    if (route.names.size() > 1) batches_.push_back(for_all("listen", Json{{"token", token}}));
  }

  std::vector<StdinMessage> messages() {
    lose_those_gone();
    if (outstanding_.empty() && !over_) next_batch();
    return std::exchange(messages_, {});
  }

  Next hear(const OutputLine& line) {
    if (over_) return Next::Continue;  // output of probes that are being ended
    if (line.from_stderr) {
      complain(line.command, line.text);
      return Next::Continue;
    }
    size_t host = line.command;
    std::string text = line.text;
    if (const auto tagged = tagged_line(route_.tag, line.text, false)) {
      host = static_cast<size_t>(tagged->rank);
      text = tagged->text;
    }
    const AgentLine said = parse_agent_line(text);
    if (said.kind == "answer" && host < survey_.hosts.size()) {
      take(host, said.name, printable_json_in(said.text));
    } else if (said.kind == "gone") {
      gone_.push_back(line.command);
    }
    return Next::Continue;
  }

  Next poll() const { return over_ ? Next::Stop : Next::Continue; }

  HostSurvey finish() {
    lose_those_gone();
    for (const auto& [host, question] : outstanding_) {
      const std::string said = complaint_of(host);
      survey_.hosts[host].unreachable =
          fmt::format("no answer to '{}'{}{}", question, said.empty() ? "" : ": ", said);
    }
    return std::move(survey_);
  }

 private:
  void greet() {
    for (size_t command = 0; command < route_.commands.size(); ++command) {
      const std::string index = route_.tag == LineTag::None ? fmt::to_string(command) : "-";
      messages_.push_back({command, fmt::format("{} {}\n", kProbe, index)});
    }
  }

  Batch for_all(const std::string& name, const Json& options = Json::object()) const {
    Batch batch;
    for (size_t host = 0; host < route_.names.size(); ++host)
      batch.push_back({host, name, options});
    return batch;
  }

  // Slurm node names may not resolve, so with srun the name is not checked.
  Batch about_themselves() const {
    Batch batch = for_all("facts", Json{{"directory", options_.directory}});
    if (route_.tag != LineTag::None || !options_.thorough) return batch;
    for (Question& question : batch) question.options["name"] = route_.names[question.host];
    return batch;
  }

  void next_batch() {
    if (batches_.empty() && !links_planned_) plan_links();
    if (batches_.empty()) {
      over_ = true;
      return;
    }
    const Batch batch = std::move(batches_.front());
    batches_.pop_front();
    for (const Question& question : batch) ask(question);
  }

  void ask(const Question& question) {
    if (!survey_.hosts[question.host].unreachable.empty()) return;
    outstanding_.insert({question.host, question.name});
    asked_[question.host] = now_seconds();
    const size_t command = route_.tag == LineTag::None ? question.host : 0;
    messages_.push_back({command, fmt::format("{} {} {}\n", question.host, question.name,
                                              question.options.dump())});
  }

  // One at a time, so that links do not disturb each other.
  void plan_links() {
    links_planned_ = true;
    const size_t hosts = route_.names.size();
    if (!options_.thorough || hosts < 2) return;
    for (size_t from = 0; from < hosts; ++from) {
      for (size_t step = 1; step < (hosts > kMostForAllPairs ? 2 : hosts); ++step) {
        const size_t to = (from + step) % hosts;
        if (!ports_[to] || !ports_[from]) continue;
        links_.push_back({from, to});
        const Json options = {{"host", reached_by(to)}, {"port", *ports_[to]}, {"token", token_}};
        batches_.push_back(Batch{Question{from, "pair", options}});
      }
    }
  }

  // With srun the address, because node names may not resolve.
  std::string reached_by(size_t host) const {
    const auto address = addresses_.find(host);
    const bool known = address != addresses_.end() && !address->second.empty();
    return known ? address->second : route_.names[host];
  }

  static std::string first_address(const Json& facts) {
    const Json interfaces = facts.value("interfaces", Json::array());
    return interfaces.empty() ? "" : interfaces.front().at("address").get<std::string>();
  }

  // A host may say anything. Whether the checks can read it, rows_for() tells.
  void take(size_t host, const std::string& question, Json answer) {
    if (outstanding_.erase({host, question}) == 0) return;
    try {
      note(host, question, std::move(answer));
    } catch (const Json::exception&) {  // its words are of the JSON library
      survey_.hosts[host].unreachable = kUnreadable;
    }
  }

  void note(size_t host, const std::string& question, Json answer) {
    HostReport& report = survey_.hosts[host];
    if (question == "facts") report.facts = std::move(answer);
    if (question == "facts" && route_.tag != LineTag::None) {
      report.name = report.facts.value("node", report.name);  // the node of this srun task
      addresses_[host] = first_address(report.facts);
    }
    if (question == "programs") report.programs = std::move(answer);
    if (question == "compute") report.compute = std::move(answer);
    if (question == "frameworks") report.frameworks = std::move(answer);
    if (question == "nccl") report.nccl = std::move(answer);
    if (question == "listen" && answer.contains("port")) ports_[host] = answer.at("port");
    if (question == "time" && answer.contains("seconds")) {
      note_clock(report, asked_[host], answer.at("seconds"));
    }
    if (question == "pair" && next_link_ < links_.size()) {
      const auto [from, to] = links_[next_link_++];
      survey_.links.push_back({from, to, std::move(answer)});
    }
  }

  // The answer was made between question and arrival, so the fastest one is the most precise.
  static void note_clock(HostReport& report, double asked, double theirs) {
    const double arrived = now_seconds(), half = (arrived - asked) / 2;
    if (report.clock_uncertainty && *report.clock_uncertainty <= half) return;
    report.clock_uncertainty = half;
    report.clock_offset = theirs - (asked + half);
  }

  // The last stderr line of ssh gives the reason; with srun it may be one of the first.
  void complain(size_t command, const std::string& text) {
    std::vector<std::string>& said = complaints_[command];
    if (route_.tag == LineTag::None) said.clear();
    if (said.size() < kMostComplaints) said.push_back(text);
  }

  std::string complaint_of(size_t host) const {
    const auto said = complaints_.find(route_.tag == LineTag::None ? host : 0);
    return said == complaints_.end() ? "" : fmt::format("{}", fmt::join(said->second, "; "));
  }

  // Delayed: the end is seen on stdout, but the reason on stderr may not be read yet.
  void lose_those_gone() {
    for (const size_t command : std::exchange(gone_, {})) lose(command);
  }

  void lose(size_t command) {
    const std::string said = complaint_of(command);
    const std::string why = said.empty() ? "connection closed" : said;
    for (size_t host = 0; host < survey_.hosts.size(); ++host) {
      const bool concerned = route_.tag != LineTag::None || host == command;
      if (concerned && survey_.hosts[host].unreachable.empty()) {
        survey_.hosts[host].unreachable = why;
      }
      if (concerned)
        std::erase_if(outstanding_, [&](const auto& each) { return each.first == host; });
    }
  }

  const ProbeRoute& route_;
  const SurveyOptions& options_;
  const std::string& token_;
  HostSurvey survey_;
  std::deque<Batch> batches_;
  std::multiset<std::pair<size_t, std::string>> outstanding_;
  std::vector<StdinMessage> messages_;
  std::map<size_t, double> asked_;
  std::map<size_t, std::string> addresses_;  // of hosts, with srun
  std::map<size_t, std::vector<std::string>> complaints_;
  std::vector<size_t> gone_;  // commands
  std::vector<std::optional<int>> ports_;
  std::vector<std::pair<size_t, size_t>> links_;
  size_t next_link_ = 0;
  bool links_planned_ = false, over_ = false;
};

// Prints "gone" instead of failing, so that one lost host does not end the survey. On SIGTERM the
// shell waits for its child, which gets the signal too.
Command told_of_its_end(Command command) {
  std::vector<std::string> argv = {"sh", "-c", R"(trap : TERM; "$@"; echo "gone $?")", "sh"};
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  command.argv = std::move(argv);
  return command;
}

}  // namespace

FrameworkQuestion question_of(const RunConfig& run) {
  if (!has_framework(run) || !find_framework(run).script.empty()) return {};
  return {.names = {std::string(find_framework(run).framework->name)}, .python = run.python};
}

HostSurvey survey_hosts(const ProbeRoute& route, const SurveyOptions& options,
                        const std::string& token) {
  std::vector<Command> commands;
  for (const Command& command : route.commands) {
    commands.push_back(told_of_its_end(command));
    commands.back().listens = true;
  }
  Surveyor doctor(route, options, token);
  const auto hosts = static_cast<double>(route.names.size());
  // On all at once.
  const Seconds longer = kForAFramework * static_cast<double>(options.frameworks.names.size()) +
                         (options.wants_gpus && options.thorough ? kForNccl : Seconds{});
  run_commands(commands, {.time = kForAHost * hosts + longer, .silence = kSilence + longer},
               {.line = [&](const OutputLine& line) { return doctor.hear(line); },
                .poll = [&] { return options.interrupted() ? Next::Stop : doctor.poll(); },
                .messages = [&] { return doctor.messages(); }});
  if (options.interrupted()) throw Interrupted();
  return doctor.finish();
}

}  // namespace lockstep
