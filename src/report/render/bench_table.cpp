#include "report/render/bench_table.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/render/text_table.h"
#include "report/results/launch_rate.h"

namespace lockstep {

std::string bench_table(std::span<const RunResult> results) {
  using Align = TextTable::Align;
  TextTable table({{"model", Align::Left},
                   {"batch"},
                   {"threads"},
                   {"images/sec"},
                   {"95 % confidence"},
                   {"median ms/step"},
                   {"GFLOP/s"},
                   {"% of FMA peak"},
                   {"peak memory"},
                   {"warm-up", Align::Left}});
  for (const RunResult& run : results) {
    const Summary& summary = run.summary;
    const auto& interval = summary.images_per_second_95;
    const auto& peak = run.throughput.fraction_of_peak;
    table.add({run.facts.model, fmt::to_string(run.facts.batch_size),
               fmt::to_string(run.facts.threads), fmt::format("{:.2f}", rate_of(run)),
               interval ? fmt::format("{:.2f} to {:.2f}", interval->low, interval->high)
                        : "too few steps",
               fmt::format("{:.1f}", summary.median_step * 1e3),
               fmt::format("{:.1f}", run.throughput.gflops),
               peak ? fmt::format("{:.1f}", 100 * *peak) : "unavailable",
               run.peak_memory_bytes ? bytes_text(*run.peak_memory_bytes) : "unavailable",
               std::string(words_for(summary.steady_state.steadiness))});
  }
  return table.text();
}

}  // namespace lockstep
