// data_commands.h: `lockstep data`: what its parts share.
#pragma once

#include <functional>

#include "app/flags.h"
#include "app/program.h"
#include "data/pipeline/pack.h"
#include "report/render/progress.h"

namespace lockstep {

int data_pack_command(RunContext& context, std::span<const std::string> arguments);
int data_make_command(RunContext& context, std::span<const std::string> arguments);
int data_check_command(RunContext& context, std::span<const std::string> arguments);
int data_bench_command(RunContext& context, std::span<const std::string> arguments);

// A bar on the terminal for work that is counted; estimates the end from the beginning.
class WorkBar {
 public:
  WorkBar(Context& context, std::string what);
  void show(int64_t done, int64_t all);

 private:
  Progress progress_;
  std::string what_;
  TimePoint start_ = Clock::now();
};

// "training: 60 images, 1.2 MB in 1 file written, 2 were there".
std::string outcome_line(std::string_view split, std::string_view thing,
                         const PackOutcome& outcome);

// Cores that this process may use.
int threads_or_all(int64_t wanted);

}  // namespace lockstep
