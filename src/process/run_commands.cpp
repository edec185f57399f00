#include "process/run_commands.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <deque>
#include <memory>
#include <utility>

#include "base/error.h"
#include "process/guard.h"
#include "process/line_splitter.h"
#include "process/output_log.h"

namespace lockstep {
namespace {

constexpr Seconds kTick{0.2};              // interval for checking limits and calling poll()
constexpr Seconds kBetweenRequests{2};     // to stop, to those that may have missed the last one
constexpr size_t kReadAtOnce = 64 * 1024;  // from one pipe, before the others are read
constexpr size_t kTakenAtOnce = PIPE_BUF;  // what a writable pipe accepts at least
constexpr size_t kReadsOfFullPipe = 32;    // more than the largest pipe holds

enum class Stream { Out, Err };

// A running command with its process, pipes and log.
struct Running {
  Running(const Command& started, const std::string& log_directory)
      : command(started), log(log_directory, started.name), process(started) {}

  const Command& command;
  OutputLog log;
  Process process;
  LineSplitter out, err;
  int64_t lines = 0;
  std::deque<std::string> last_lines;
  bool reaped = false, asked_to_end = false;
  std::optional<TimePoint> stopped_since = {};
};

class Plan {
 public:
  Plan(std::span<const Command> commands, const RunLimits& limits, const RunWatch& watch)
      : commands_(commands),
        limits_(limits),
        watch_(watch),
        guard_(watch.legacy, watch.longest_stop) {}

  PlanOutcome run() {
    start_all();
    try {
      while (!decided_) turn();
    } catch (...) {  // processes such as mpirun have to tidy up
      decide(RunEnd::Failed, "the launcher failed");
      nobody_hears_ = true;
      end_all();
      throw;
    }
    end_all();
    return outcome();
  }

 private:
  // Only the first reason counts: later ones follow from it.
  void decide(RunEnd end, std::string why, size_t culprit = 0) {
    if (decided_) return;
    decided_ = true;
    end_ = end;
    why_ = std::move(why);
    culprit_ = culprit;
  }

  void start_all() {
    running_.resize(commands_.size());
    for (size_t i = 0; i < commands_.size() && !decided_; ++i) {
      try {
        running_[i] = std::make_unique<Running>(commands_[i], watch_.log_directory);
        guard_.watch(running_[i]->process.group());
      } catch (const Error& error) {  // a failed start is an outcome like any other
        if (!commands_[i].fails_alone) decide(RunEnd::Failed, error.what(), i);
      }
    }
  }

  void turn() {
    hear_news();
    deliver_messages();
    if (decided_) return;
    if (workers_are_done()) return decide(RunEnd::Completed, "");
    if (watch_.poll && watch_.poll() == Next::Stop) decide(RunEnd::Interrupted, "interrupted");
    check_time();
  }

  void deliver_messages() const {
    if (!watch_.messages) return;
    for (const StdinMessage& message : watch_.messages()) {
      const Running* receiver = running_[message.command].get();
      if (receiver && !receiver->reaped) receiver->process.tell(message.text);
    }
  }

  bool takes_lines() const { return !watch_.takes_lines || watch_.takes_lines(); }

  void wait_for_news() const {
    std::vector<pollfd> news;
    const bool lines = takes_lines();
    for (const auto& each : running_) {
      if (!each || each->reaped) continue;
      const auto watch = [&](int file) {
        if (file >= 0) news.push_back({.fd = file, .events = POLLIN, .revents = 0});
      };
      watch(each->process.ended_descriptor());
      if (!lines) continue;
      watch(each->process.out().number());
      watch(each->process.err().number());
    }
    poll(news.data(), news.size(), static_cast<int>(kTick.count() * 1000));
  }

  void attend(size_t i) {
    Running* each = running_[i].get();
    if (!each || each->reaped) return;
    const size_t most = watch_.takes_lines ? kTakenAtOnce : kReadAtOnce;
    if (takes_lines()) read_some(i, Stream::Out, most);
    if (takes_lines()) read_some(i, Stream::Err, most);
    const auto status = each->process.try_reap();
    if (!status) return;
    read_rest(i);
    each->reaped = true;
    guard_.forget(each->process.group());
    judge(i, *status);
  }

  // Returns whether more may be available now.
  bool read_some(size_t i, Stream stream, size_t most = kReadAtOnce) {
    Running& each = *running_[i];
    FileDescriptor& file = stream == Stream::Out ? each.process.out() : each.process.err();
    LineSplitter& buffer = stream == Stream::Out ? each.out : each.err;
    if (!file.is_open()) return false;
    std::array<char, kReadAtOnce> bytes;
    const ssize_t count = read(file.number(), bytes.data(), most);
    if (count < 0) return errno == EINTR;
    if (count == 0) {
      file.reset();
      return false;
    }
    last_output_ = Clock::now();
    const std::string_view text(bytes.data(), static_cast<size_t>(count));
    each.log.add(text);
    buffer.add(text, [&](const Line& line) { take_line(i, stream, line); });
    return true;
  }

  // The process and its group are gone, so the pipes hold the rest of the output. (A process that
  // left the group and still writes is not waited for.)
  void read_rest(size_t i) {
    Running& each = *running_[i];
    for (size_t reads = 0; reads < kReadsOfFullPipe; ++reads) {
      const bool more_out = read_some(i, Stream::Out), more_err = read_some(i, Stream::Err);
      if (!more_out && !more_err) break;
    }
    each.out.finish([&](const Line& line) { take_line(i, Stream::Out, line); });
    each.err.finish([&](const Line& line) { take_line(i, Stream::Err, line); });
  }

  void take_line(size_t i, Stream stream, const Line& line) {
    Running& each = *running_[i];
    ++each.lines;
    each.last_lines.push_back(line.text);
    if (each.last_lines.size() > PlanOutcome::kLastLines) each.last_lines.pop_front();
    if (!watch_.line || nobody_hears_ || (decided_ && end_ == RunEnd::Stopped)) return;
    const OutputLine output = {.command = i,
                               .time = seconds_since(start_),
                               .text = line.text,
                               .whole = line.whole,
                               .from_stderr = stream == Stream::Err};
    if (watch_.line(output) == Next::Stop) decide(RunEnd::Stopped, "measurement complete");
  }

  void judge(size_t i, ExitStatus status) {
    const Command& command = commands_[i];
    if (succeeded(status, command) || command.fails_alone) return;
    decide(RunEnd::Failed, fmt::format("{} ended with {}", command.name, words_for(status)), i);
  }

  bool workers_are_done() const {
    return std::ranges::all_of(running_, [](const auto& each) {
      return !each || each->reaped || each->command.role == Command::Role::Server;
    });
  }

  void check_time() {
    if (seconds_since(start_) > limits_.time) {
      decide(RunEnd::TimedOut, fmt::format("timeout after {:.0f} s", limits_.time.count()));
    }
    notice_input();
    if (limits_.silence && seconds_since(last_output_) > *limits_.silence) {
      decide(RunEnd::Silent,
             fmt::format("timeout: no output for {:.0f} s", limits_.silence->count()));
    }
    if (limits_.stopped) look_for_stopped();
  }

  void look_for_stopped() {
    for (size_t i = 0; i < running_.size(); ++i) {
      Running* each = running_[i].get();
      if (!each || each->reaped || !each->process.is_stopped()) {
        if (each) each->stopped_since.reset();
        continue;
      }
      if (!each->stopped_since) each->stopped_since = Clock::now();
      if (seconds_since(*each->stopped_since) < *limits_.stopped) continue;
      decide(RunEnd::Failed,
             fmt::format("{} was stopped by a signal for {:.0f} s", each->command.name,
                         limits_.stopped->count()),
             i);
    }
  }

  // A command that reads its input file is not silent.
  void notice_input() {
    int64_t input_read = 0;
    for (const auto& each : running_) input_read += each ? each->process.input_read() : 0;
    if (input_read != std::exchange(input_read_, input_read)) last_output_ = Clock::now();
  }

  // Asks all running processes to stop. Kills the rest after the grace period, or when the caller
  // no longer waits. Their output still goes to the log.
  void end_all() {
    const bool interrupted = end_ == RunEnd::Interrupted;
    for (const auto& each : running_) {
      if (!each || each->reaped) continue;
      each->asked_to_end = true;
      const int gentle = each->command.stop_signal;
      each->process.signal_group(interrupted && gentle ? gentle : SIGTERM);
      each->process.signal_group(SIGCONT);  // a stopped process would not see the signal
    }
    TimePoint asked = Clock::now();
    wait_for_ends(interrupted ? limits_.interrupted_grace : limits_.grace, [&] {
      if (interrupted && seconds_since(asked) > kBetweenRequests) {
        ask_again();
        asked = Clock::now();
      }
      return nobody_waits();
    });
    if (interrupted && insist()) wait_for_ends(limits_.grace, [] { return false; });
    while (some_run()) {
      kill_all();
      hear_news();
    }
  }

  void ask_again() const {
    for (const auto& each : running_) {
      if (!each || each->reaped || !each->command.repeat_stop_signal) continue;
      each->process.signal_group(each->command.stop_signal);
    }
  }

  // Sends SIGTERM to processes that only got their stop signal. If killed, mpirun would leave its
  // ranks and their files behind, and a batch job would continue. Returns whether there are any.
  bool insist() const {
    bool any = false;
    for (const auto& each : running_) {
      if (!each || each->reaped || each->command.stop_signal == 0) continue;
      each->process.signal_group(SIGTERM);
      any = true;
    }
    return any;
  }

  template <typename Question>
  void wait_for_ends(Seconds grace, const Question& is_enough) {
    const TimePoint begin = Clock::now();
    while (some_run() && seconds_since(begin) <= grace && !is_enough()) hear_news();
  }

  void hear_news() {
    wait_for_news();
    for (size_t i = 0; i < running_.size(); ++i) attend(i);
  }

  // The outcome is decided. Of poll(), only an Error still matters.
  bool nobody_waits() const {
    if (nobody_hears_) return false;
    try {
      if (watch_.poll) watch_.poll();
      return false;
    } catch (const Error&) {
      return true;
    }
  }

  void kill_all() const {
    for (const auto& each : running_) {
      if (each && !each->reaped) each->process.signal_group(SIGKILL);
    }
  }

  bool some_run() const {
    return std::ranges::any_of(running_, [](const auto& each) { return each && !each->reaped; });
  }

  PlanOutcome outcome() {
    PlanOutcome result = {.end = end_,
                          .why = why_,
                          .culprit = culprit_,
                          .duration = seconds_since(start_),
                          .commands = {}};
    for (const auto& each : running_) {
      CommandOutcome& command = result.commands.emplace_back();
      if (!each) continue;
      command.status = each->process.try_reap();
      command.ended_by_us = each->asked_to_end;
      command.lines = each->lines;
      command.last_lines = {each->last_lines.begin(), each->last_lines.end()};
    }
    return result;
  }

  std::span<const Command> commands_;
  const RunLimits& limits_;
  const RunWatch& watch_;
  Guard guard_;
  std::vector<std::unique_ptr<Running>> running_;  // as in the plan; null: not started
  TimePoint start_ = Clock::now(), last_output_ = start_;
  int64_t input_read_ = 0;
  bool decided_ = false, nobody_hears_ = false;
  RunEnd end_ = RunEnd::Completed;
  std::string why_;
  size_t culprit_ = 0;
};

}  // namespace

bool succeeded(const ExitStatus& status, const Command& command) {
  return !status.by_signal && status.code == command.expected_exit_code;
}

PlanOutcome run_commands(std::span<const Command> plan, const RunLimits& limits,
                         const RunWatch& watch) {
  return Plan(plan, limits, watch).run();
}

}  // namespace lockstep
