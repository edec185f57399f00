#include "launch/output_relay.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <utility>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr size_t kMostUnshown = 40;
constexpr const char* kStarterLog = "launcher";

}  // namespace

OutputRelay::OutputRelay(Context& context, std::span<const PlannedProcess> processes,
                         const RunConfig& run)
    : context_(context), processes_(processes), verbose_(run.verbose), log_dir_(run.log_dir) {
  if (log_dir_.empty()) return;
  for (const PlannedProcess& process : processes_) {
    logs_.try_emplace(process.rank, log_dir_,
                      fmt::format("rank {} {}", process.rank, process.host));
  }
}

std::string OutputRelay::who(int rank) const {
  const auto place = static_cast<size_t>(rank);
  return place < processes_.size() ? fmt::format("{} rank {}", processes_[place].host, rank)
                                   : fmt::format("rank {}", rank);
}

void OutputRelay::hear(int rank, const std::string& text, bool from_stderr) {
  if (const auto event = parse_event_line(text)) return take(rank, *event);
  log(rank, text);
  if (rank == 0) {
    (from_stderr ? context_.err : context_.out) << text << "\n" << std::flush;
  } else if (verbose_) {
    context_.err << "[" << who(rank) << "] " << text << "\n" << std::flush;
  } else if (from_stderr) {
    remember(who(rank), text);
  }
}

void OutputRelay::log(int rank, const std::string& text) {
  const auto file = logs_.find(rank);
  if (file != logs_.end()) write(file->second, text + "\n");
}

void OutputRelay::take(int rank, const RunEvent& event) {
  if (event.is_failure()) {
    failures_.emplace_back(rank, event);
    if (!failed_at_) failed_at_ = Clock::now();
  } else if (event.kind == RunEvent::Kind::Log) {
    log(rank, event.text);
    if (verbose_) context_.err << event.text << "\n" << std::flush;
  } else if (rank == 0) {
    told_of_interruption_ = Clock::now();
  }
}

void OutputRelay::report_failure(std::optional<int> rank, const std::string& why) {
  const auto cause = std::ranges::find_if(
      failures_, [&](const auto& failure) { return !rank || failure.first == *rank; });
  report_event(context_, cause == failures_.end() ? RunEvent{.text = why} : cause->second);
}

void OutputRelay::hear_starter(const std::string& name, const std::string& text) {
  keep(name, text);
  if (verbose_) {
    context_.err << "[" << name << "] " << text << "\n" << std::flush;
  } else {
    remember(name, text);
  }
}

void OutputRelay::keep(const std::string& name, const std::string& text) {
  if (log_dir_.empty()) return;
  try {
    if (!starter_log_) starter_log_.emplace(log_dir_, kStarterLog);
    write(*starter_log_, fmt::format("[{}] {}\n", name, text));
  } catch (const Error& error) {  // somebody removed the directory
    note_trouble(error.what());
  }
}

// The run continues without its logs.
void OutputRelay::write(OutputLog& log, const std::string& text) {
  log.add(text);
  if (!log.trouble().empty()) note_trouble(log.trouble());
}

void OutputRelay::note_trouble(const std::string& trouble) {
  if (std::exchange(told_of_trouble_, true)) return;
  context_.err << "note: logs in " << log_dir_ << " are incomplete: " << trouble << "\n"
               << std::flush;
}

void OutputRelay::remember(const std::string& name, const std::string& text) {
  unshown_.push_back(fmt::format("[{}] {}", name, text));
  if (unshown_.size() > kMostUnshown) unshown_.pop_front();
}

void OutputRelay::explain() {
  for (const std::string& line : unshown_) context_.err << line << "\n";
  unshown_.clear();
}

void OutputRelay::tell_of_interruption() {
  if (std::exchange(told_of_interruption_, Clock::now())) return;
  context_.err << "lockstep: interrupted; no result was written\n";
}

bool output_is_read() {
  pollfd outputs[] = {{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0},
                      {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0}};
  return poll(outputs, std::size(outputs), 0) == std::ssize(outputs);
}

std::optional<Seconds> OutputRelay::since_failure() const {
  if (!failed_at_) return {};
  return seconds_since(*failed_at_);
}

std::string OutputRelay::first_failure() const {
  if (failures_.empty()) return "";
  const auto& [rank, event] = failures_.front();
  return fmt::format("{}: {}", who(rank), event.text);
}

std::optional<Seconds> OutputRelay::since_interruption() const {
  if (!told_of_interruption_) return {};
  return seconds_since(*told_of_interruption_);
}

}  // namespace lockstep
