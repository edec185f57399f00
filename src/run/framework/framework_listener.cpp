#include "run/framework/framework_listener.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "base/error.h"
#include "base/run_event.h"
#include "report/render/console.h"
#include "run/framework/same_network.h"

namespace lockstep {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Of the monotonic clock, which counts for a script as it does for us.
TimePoint point_at(Seconds since_boot) {
  return TimePoint(std::chrono::duration_cast<Clock::duration>(since_boot));
}

// "cuda" of "cuda:1".
std::string_view device_kind(std::string_view device) { return device.substr(0, device.find(':')); }

}  // namespace

FrameworkListener::FrameworkListener(const RunPlan& plan, const NativeCheck& native, int rank,
                                     Context& context)
    : plan_(plan),
      framework_(*find_framework(plan.config).framework),
      native_(native),
      rank_(rank),
      context_(context) {}

Next FrameworkListener::hear(const OutputLine& line) {
  if (const auto event = parse_framework_line(line.text)) {
    last_event_ = Clock::now();
    std::visit([&](const auto& each) { take(each); }, *event);
  } else {
    report_log_line(context_, line.text, plan_.config.verbose);
  }
  return Next::Continue;
}

bool FrameworkListener::all_tried() const {
  if (!find_framework(plan_.config).mode.empty()) return false;
  const auto modes =
      std::ranges::count_if(framework_.modes, [](auto mode) { return !mode.empty(); });
  if (modes > 0 && std::ssize(unusable_) == modes) {
    throw Error("{} can use none of its modes: {}", framework_.title, fmt::join(unusable_, "; "));
  }
  return modes > 0 && std::ssize(trials_) + std::ssize(unusable_) == modes;
}

void FrameworkListener::require_check() const {
  if (!loss_difference_ || !values_) {
    throw Error("{} did not report the checked steps", framework_.title);
  }
}

void FrameworkListener::require_all() const {
  const int all = plan_.facts.warmup_steps + plan_.facts.timed_steps;
  if (!hello_) throw Error("{} ended without a 'hello' event", framework_.title);
  if (std::ssize(steps_) != all) {
    throw Error("{} ended after {} of {} steps", framework_.title, steps_.size(), all);
  }
  if (!done_) throw Error("{} ended without a 'done' event", framework_.title);
}

Seconds FrameworkListener::longest_step() const {
  Seconds longest{0};
  for (const StepEvent& event : steps_) longest = std::max(longest, event.end - event.begin);
  return longest;
}

Seconds FrameworkListener::silence() const { return Clock::now() - last_event_; }

std::optional<TimePoint> FrameworkListener::begin() const {
  return steps_.empty() ? std::nullopt : std::optional(point_at(steps_.front().begin));
}

// An adapter greets, tries modes, checks, and trains.
Seconds FrameworkListener::aside() const { return checked_ - greeted_; }

void FrameworkListener::take(const HelloEvent& event) {
  hello_ = event;
  const std::string& wanted = plan_.engine_options.device;
  if (!event.device.empty() && device_kind(event.device) != device_kind(wanted)) {
    throw Error("{} computes on {}, not on {}", framework_.title, event.device, wanted);
  }
  greeted_ = checked_ = last_event_;
}

void FrameworkListener::take(const NetworkEvent& event) {
  require_same_size(framework_, plan_.facts, event);
}

void FrameworkListener::take(const CheckEvent& event) {
  checked_ = last_event_;
  if (event.values) {  // before losses: a parameter tells more
    const std::filesystem::path directory = native_.values.parent_path();
    values_ = same_values(framework_, native_, directory / *event.values);
  }
  loss_difference_ = same_losses(framework_, native_.losses, event.losses);
  if (rank_ > 0) return;
  context_.err << fmt::format("same network: losses agree to {:.1g}", *loss_difference_);
  if (values_) {
    context_.err << fmt::format(", gradients to {:.1g}", values_->nearest.difference);
  }
  if (values_ && values_->noisy_rows > 0) {
    context_.err << fmt::format("; {} of {} parameters are too noisy to compare with so few images",
                                values_->noisy_rows, native_.rows.size());
  }
  context_.err << std::endl;
}

void FrameworkListener::take(const TrialEvent& event) {
  if (!event.problem.empty()) {
    unusable_.push_back(fmt::format("{}: {}", event.mode, event.problem));
    if (rank_ == 0) {
      context_.err << fmt::format("note: {} cannot use mode {}: {}\n", framework_.title, event.mode,
                                  event.problem)
                   << std::flush;
    }
    return;
  }
  trials_.push_back({event.mode, event.seconds});
  if (rank_ > 0) return;
  context_.err << fmt::format("{} in mode {}: {:.1f} ms per step\n", framework_.title, event.mode,
                              1e3 * event.seconds)
               << std::flush;
}

void FrameworkListener::take(const StepEvent& event) {
  if (event.step != std::ssize(steps_) + 1) {
    throw Error("{} reports step {} after step {}", framework_.title, event.step, steps_.size());
  }
  if (event.loss && !std::isfinite(*event.loss)) {
    throw Error("{}: the loss of step {} is not a number", framework_.title, event.step);
  }
  constexpr Seconds kAhead{1};
  if (point_at(event.end) > Clock::now() + kAhead) {
    throw Error("{}: step {} ends in the future; its times must be those of the monotonic clock",
                framework_.title, event.step);
  }
  if (!steps_.empty() && event.begin < steps_.back().begin) {
    throw Error("{}: step {} begins before the step before it", framework_.title, event.step);
  }
  steps_.push_back(event);
  if (rank_ == 0) show(event);
}

void FrameworkListener::show(const StepEvent& event) const {
  const int timed = event.step - plan_.facts.warmup_steps;
  if (event.step == 1) context_.out << "Running warm up\n";
  if (timed == 0 || (timed == 1 && plan_.facts.warmup_steps == 0)) {
    context_.out << "Done warm up\n" << column_titles(plan_.config) << std::flush;
  }
  if (timed < 1 || !is_shown(plan_.config, timed)) return;
  std::vector<StepRecord> records = this->records(point_at(Seconds{0}));
  records.erase(records.begin(), records.begin() + plan_.facts.warmup_steps);
  StepRecord last = records.back();
  last.images *= plan_.facts.devices;
  context_.out << step_line(plan_.config, durations(records), last) << std::flush;
}

std::vector<StepRecord> FrameworkListener::records(TimePoint start) const {
  std::vector<StepRecord> records;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const StepEvent& event = steps_[i];
    StepRecord record;
    record.begin = point_at(event.begin) - start;
    record.duration = (i + 1 < steps_.size() ? steps_[i + 1].begin : event.end) - event.begin;
    for (size_t phase = 0; phase < event.phases.size(); ++phase) {
      record.phases[phase] = Seconds(event.phases[phase].value_or(kUnknown));
    }
    record.phase(Phase::Between) = record.duration - (event.end - event.begin);
    record.images = plan_.facts.batch_size;
    record.losses = {.base_loss = event.loss.value_or(kUnknown), .total_loss = kUnknown};
    records.push_back(record);
  }
  return records;
}

void FrameworkListener::describe(RunResult& result, const std::optional<std::string>& mode) const {
  const std::string used = mode.value_or(find_framework(plan_.config).mode);
  const bool script = !find_framework(plan_.config).script.empty();
  const HelloEvent hello = hello_.value_or(HelloEvent{});
  const std::string name = script ? hello.framework : std::string(framework_.name);
  result.origin = fmt::format("framework {} {}{}", name, hello.version,
                              used.empty() ? "" : fmt::format(" ({})", used));
  result.framework = {
      .name = name,
      .version = hello.version,
      .mode = used,
      .trials = trials_,
      .checked_steps = loss_difference_ ? static_cast<int>(native_.losses.size()) : 0,
      .loss_difference = loss_difference_.value_or(kUnknown),
      .loss_tolerance = kSameLoss,
      .gradient_difference = values_ ? values_->nearest.difference : kUnknown,
      .gradient_tolerance = values_ ? values_->nearest.tolerance : kUnknown,
      .noisy_rows = values_ ? values_->noisy_rows : 0};
  result.libraries = hello.libraries;
  result.facts.communicator = hello.communication;
  result.peak_memory_bytes = peak_memory_bytes();
}

}  // namespace lockstep
