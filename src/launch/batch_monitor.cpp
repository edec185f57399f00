// batch_monitor.cpp: follows a job that was submitted to Slurm: its state and its output.
#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <ostream>
#include <utility>

#include "base/interrupt.h"
#include "base/run_event.h"
#include "base/text.h"
#include "launch/run_monitor.h"
#include "launch/slurm.h"
#include "process/ask.h"
#include "process/line_splitter.h"

namespace lockstep {
namespace {

constexpr Seconds kForCancelling{20};

// Follows a growing file from its beginning.
class FollowedFile {
 public:
  explicit FollowedFile(std::string path) : path_(std::move(path)) {}

  // Whole lines; when the job has ended, also the last one without an end. Events of the launcher
  // inside the job are taken out: the first failure is kept.
  void pass_on(std::ostream& out, bool ended) {
    const LineSink show = [&](const Line& line) {
      const auto event = parse_event_line(line.text);
      if (!event) out << line.text << "\n";
      const bool failed = event && event->is_failure();
      if (failed && !failure_) failure_ = event;
    };
    std::ifstream file(path_, std::ios::binary);
    file.seekg(read_);
    for (char piece[1 << 16]; file;) {
      file.read(piece, sizeof piece);
      read_ += file.gcount();
      lines_.add({piece, static_cast<size_t>(file.gcount())}, show);
    }
    if (ended) lines_.finish(show);
    out << std::flush;
  }
  const std::optional<RunEvent>& failure() const { return failure_; }

 private:
  std::string path_;
  std::streamoff read_ = 0;
  LineSplitter lines_;
  std::optional<RunEvent> failure_;
};

class BatchMonitor : public RunMonitor {
 public:
  BatchMonitor(Context& context, const LaunchPlan& plan) : context_(context), plan_(plan) {}

  Next hear(const OutputLine& line) override {
    if (line.from_stderr) {
      context_.err << line.text << "\n" << std::flush;
      return Next::Continue;
    }
    last_ = parse_batch_news(line.text);
    if (!out_) {
      const std::string base = fmt::format("{}-{}", plan_.batch_output, last_.job);
      out_.emplace(base + ".log");
      err_.emplace(base + ".err");
    }
    if (last_.state != "END") {
      const bool waits = last_.state == "PENDING" && last_.more != "None";
      context_.err << fmt::format("Slurm job {}: {}{}\n", last_.job, lower_case(last_.state),
                                  waits ? fmt::format(" ({})", last_.more) : "")
                   << std::flush;
    }
    return Next::Continue;
  }

  std::vector<StdinMessage> messages() override { return {}; }

  Next poll() override {
    pass_on(/*ended=*/false);
    return interrupts_.interrupted() ? Next::Stop : Next::Continue;
  }

  int exit_code(const PlanOutcome& outcome) override {
    if (last_.state != "END") cancel();
    pass_on(/*ended=*/true);
    if (outcome.end == RunEnd::Interrupted) return kInterrupted;
    if (outcome.end != RunEnd::Completed || last_.state != "END") {
      return fail(outcome.why.empty() ? "lost contact with the Slurm job" : outcome.why);
    }
    const size_t space = last_.more.find(' ');  // "FAILED 1:0"
    const std::string state = last_.more.substr(0, space);
    const auto code = whole_number(last_.more.substr(
        space + 1, last_.more.find(':') - std::min(space + 1, last_.more.find(':'))));
    if (state == "COMPLETED") return kSuccess;
    fail(fmt::format("Slurm job {} ended: {}; its output is in {}-{}.err", last_.job,
                     lower_case(last_.more), plan_.batch_output, last_.job));
    return code && *code > 0 ? static_cast<int>(*code) : kFailure;
  }

 private:
  // The shell that waits for the job was killed, so it could not.
  void cancel() const {
    if (!last_.job.empty()) ask({"scancel", last_.job}, kForCancelling);
  }

  int fail(const std::string& why) {
    context_.err << "lockstep: " << why << "\n";
    const bool told = err_ && err_->failure();
    report_event(context_, told ? *err_->failure() : RunEvent{.text = why});
    return kFailure;
  }

  void pass_on(bool ended) {
    if (out_) out_->pass_on(context_.out, ended);
    if (err_) err_->pass_on(context_.err, ended);
  }

  Context& context_;
  const LaunchPlan& plan_;
  BatchNews last_;
  std::optional<FollowedFile> out_, err_;
  InterruptWatch interrupts_;
};

}  // namespace

std::unique_ptr<RunMonitor> monitor_batch(Context& context, const LaunchPlan& plan) {
  return std::make_unique<BatchMonitor>(context, plan);
}

}  // namespace lockstep
