// agent_monitor.cpp: the launcher's side of agent_protocol.h.
#include <fmt/format.h>

#include <map>
#include <ostream>
#include <utility>

#include "base/interrupt.h"
#include "base/text.h"
#include "launch/output_relay.h"
#include "launch/remote_files.h"
#include "launch/run_monitor.h"

namespace lockstep {
namespace {

constexpr Seconds kSilentAgent{30};
constexpr std::chrono::seconds kMoreForTheFirstWord{15};  // logging in takes its time
constexpr Seconds kForLogs{10};  // after a failure: time for the other hosts to send their logs

// An IPv6 address needs brackets in host:port.
std::string in_brackets(const std::string& name) {
  return name.find(':') == std::string::npos ? name : "[" + name + "]";
}

class AgentMonitor : public RunMonitor {
 public:
  AgentMonitor(Context& context, const LaunchPlan& plan, const RunConfig& run)
      : context_(context), plan_(plan), relay_(context, plan.processes, run), files_(run) {
    heard_.resize(plan.hosts.size(), Clock::now() + kMoreForTheFirstWord);
    for (size_t host = 0; host < plan.hosts.size(); ++host) {
      messages_.push_back({host, text_of(plan.agents[host]) + "\n"});
    }
  }

  Next hear(const OutputLine& line) override {
    if (!line.from_stderr) heard_[line.command] = Clock::now();
    if (line.from_stderr) {  // from ssh, or from an agent that could not start
      complaints_[line.command] = line.text;
      relay_.keep(host(line.command), line.text);
      context_.err << "[" << host(line.command) << "] " << line.text << "\n" << std::flush;
      return Next::Continue;
    }
    const AgentLine said = parse_agent_line(line.text);
    if (said.kind == kEnd) {
      heard_[line.command].reset();
    } else if (said.kind == "store") {
      tell_all(fmt::format("store {}:{}\n", in_brackets(host(plan_.keeper)), said.name));
    } else if (said.kind == "out" || said.kind == "err") {
      const auto rank = whole_number(said.name);
      const auto text = files_.in_names_of_here(said.text);
      if (rank && text) relay_.hear(static_cast<int>(*rank), *text, said.kind == "err");
    } else if (said.kind == "file") {
      const std::string news = files_.add(said.name, from_base64(said.text));
      if (!news.empty()) context_.err << news << "\n" << std::flush;
    } else if (said.kind == "last") {
      if (const auto event = parse_event_line(said.text)) {
        if (event->is_failure()) causes_[line.command] = *event;
      } else {
        last_lines_[line.command].push_back(said.text);
      }
    } else if (said.kind == "failed") {
      fail(line.command, said);
    }
    return Next::Continue;
  }

  std::vector<StdinMessage> messages() override {
    if (interrupts_.interrupted() && !stopping_) {
      stopping_ = true;
      tell_all("stop\n");
    }
    if (seconds_since(told_) > kBetweenSignsOfLife) {
      told_ = Clock::now();
      tell_all(fmt::format("{}\n", kAlive));
    }
    return std::exchange(messages_, {});
  }

  // After a failure all hosts are told to stop, and kForLogs limits the wait.
  Next poll() override {
    look_for_silent_agents();
    return failed_at_ && seconds_since(*failed_at_) > kForLogs ? Next::Stop : Next::Continue;
  }

  int exit_code(const PlanOutcome& outcome) override {
    // Workers whose agent was killed stop as if interrupted. Their message may arrive before the
    // end of its ssh is noticed.
    const bool reason_is_known = failed_at_ && code_ != kInterrupted;
    if (outcome.end == RunEnd::Failed && !reason_is_known) {
      const auto said = complaints_.find(outcome.culprit);
      const std::string why = said == complaints_.end()
                                  ? outcome.why
                                  : fmt::format("{}: {}", host(said->first), said->second);
      context_.err << fmt::format("lockstep: host {}; run stopped\n", why);
      report_event(context_, {.text = "host " + why});
      return kFailure;
    }
    if (failed_at_) return code_;
    if (!stopping_) return kSuccess;
    relay_.tell_of_interruption();
    return kInterrupted;
  }

 private:
  const std::string& host(size_t command) const { return plan_.hosts[command].name; }

  void tell_all(const std::string& text) {
    for (size_t host = 0; host < plan_.hosts.size(); ++host) messages_.push_back({host, text});
  }

  // An agent says something every few seconds. Lines that we do not take,
  // because nobody reads our output, do not count as silence.
  void look_for_silent_agents() {
    const bool takes_lines = output_is_read();
    for (size_t host = 0; host < heard_.size() && !failed_at_; ++host) {
      if (!heard_[host]) continue;
      if (!takes_lines) heard_[host] = Clock::now();
      if (seconds_since(*heard_[host]) < kSilentAgent) continue;
      fail(host, {.kind = "failed",
                  .name = "-",
                  .text = fmt::format("the agent on {} has not answered for {:.0f} s",
                                      this->host(host), kSilentAgent.count())});
    }
  }

  // The first failure is the reason; later ones follow from it. Workers that stop tell each other,
  // so one may have ended before its own agent is told to stop.
  void fail(size_t command, const AgentLine& said) {
    const int code = code_of_run(static_cast<int>(whole_number(said.name).value_or(kFailure)));
    if (failed_at_ || (stopping_ && code == kInterrupted)) return;
    for (const std::string& line : last_lines_[command]) {
      context_.err << "[" << host(command) << "] " << line << "\n";
    }
    relay_.keep(host(command), said.text);
    context_.err << "lockstep: " << said.text << "; run stopped\n" << std::flush;
    const auto cause = causes_.find(command);
    report_event(context_, cause == causes_.end() ? RunEvent{.text = said.text} : cause->second);
    code_ = code;
    failed_at_ = Clock::now();
    tell_all("stop\n");
  }

  Context& context_;
  const LaunchPlan& plan_;
  OutputRelay relay_;
  RemoteFiles files_;
  InterruptWatch interrupts_;
  std::vector<StdinMessage> messages_;
  std::vector<std::optional<TimePoint>> heard_;  // of each agent, when; absent: it has ended
  std::map<size_t, std::string> complaints_;     // last stderr line of each ssh
  std::map<size_t, std::vector<std::string>> last_lines_;  // of the rank that failed there
  std::map<size_t, RunEvent> causes_;                      // the reason that this rank reported
  std::optional<TimePoint> failed_at_;
  int code_ = kFailure;  // of the run, when it failed
  TimePoint told_ = Clock::now();
  bool stopping_ = false;
};

}  // namespace

std::unique_ptr<RunMonitor> monitor_agents(Context& context, const LaunchPlan& plan,
                                           const RunConfig& run) {
  return std::make_unique<AgentMonitor>(context, plan, run);
}

}  // namespace lockstep
