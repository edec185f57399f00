// what_if.h: the same run with one thing changed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/scenario.h"

namespace lockstep {

struct Change {
  std::string text;  // "bandwidth=2x", as it was given
  Cluster cluster;
  Scenario scenario;
};

// Throws UsageError that names the changes there are.
Change changed(const std::string& what, const Cluster& cluster, const Scenario& scenario);

struct ChangeKind {
  std::string_view name, value, help;  // value: "2x"; empty: none
};
std::span<const ChangeKind> change_kinds();

// Sets update and strategy; servers take gradients uncompressed. Throws UsageError for an unknown
// one.
void set_strategy(const std::string& variable_update, Scenario& scenario);

}  // namespace lockstep
