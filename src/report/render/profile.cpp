#include "report/render/profile.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

using Align = TextTable::Align;

// Two operations per multiply-add; backward has two products per layer, forward one.
std::string gflops(double macs, double seconds) {
  return macs > 0 && seconds > 0 ? fmt::format("{:.1f}", 2 * macs / seconds / 1e9) : "";
}

std::string milliseconds(double seconds) { return fmt::format("{:.2f}", seconds * 1e3); }

// Forward and both products of backward mostly have the same one: said once.
std::string kernels(const std::string& names) {
  const std::vector<std::string> all = split(names, ' ');
  return std::set(all.begin(), all.end()).size() == 1 ? all.front() : names;
}

}  // namespace

std::string profile_table(std::span<const OpResult> ops, int batch, Seconds step,
                          TableWidth width) {
  TextTable table({{"layer", Align::Left},
                   {"what", Align::Left},
                   {"output", Align::Left},
                   {"fwd ms"},
                   {"GFLOP/s"},
                   {"bwd ms"},
                   {"GFLOP/s"},
                   {"share %"},
                   {"kernel", Align::Left}});
  double all_forward = 0, all_backward = 0, all_macs = 0;
  const auto share = [&](double seconds) {
    return fmt::format("{:.1f}", 100 * seconds / step.count());
  };
  for (const OpResult& op : ops) {
    const double forward = op.forward_seconds.value_or(0),
                 backward = op.backward_seconds.value_or(0);
    const double macs = static_cast<double>(op.forward_macs) * batch;
    table.add({op.layer, op.what, op.output, milliseconds(forward), gflops(macs, forward),
               milliseconds(backward), gflops(2 * macs, backward), share(forward + backward),
               kernels(op.kernel)});
    all_forward += forward;
    all_backward += backward;
    all_macs += macs;
  }
  table.add({"all", "", "", milliseconds(all_forward), gflops(all_macs, all_forward),
             milliseconds(all_backward), gflops(2 * all_macs, all_backward),
             share(all_forward + all_backward), ""});
  return table.text(width);
}

}  // namespace lockstep
