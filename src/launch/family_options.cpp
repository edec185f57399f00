#include "launch/family_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "comm/backends.h"
#include "comm/nccl/nccl_communicator.h"
#include "launch/launchers.h"
#include "nn/optimizer.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

using Names = std::vector<std::string>;

// With "auto", the names of a table's rows.
template <typename Table>
Names auto_or(const Table& table) {
  Names names = {"auto"};
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

Names strategy_names() {
  Names names;
  for (const StrategyKind& kind : strategies()) names.emplace_back(kind.name);
  return names;
}

Names optimizers() {
  const std::vector<std::string_view> names = optimizer_names();
  return {names.begin(), names.end()};
}

// NCCL has an interface of its own, for the memory of GPUs.
Names communicators() {
  Names names = auto_or(comm_backends());
  names.emplace_back(kNccl);
  return names;
}

struct Family {
  std::string_view option;
  Names (*names)();
};
constexpr Family kFamilies[] = {
    {"variable-update", strategy_names},
    {"communicator", communicators},
    {"launcher", [] { return auto_or(launchers()); }},
    {"optimizer", optimizers},
};

const Family* family_of(const RunOption& option) {
  const auto* family = std::ranges::find(kFamilies, option.name, &Family::option);
  return family == std::end(kFamilies) ? nullptr : family;
}

}  // namespace

std::string flag_value_name(const RunOption& option) {
  const Family* family = family_of(option);
  if (!family || !option.details.value_name.empty()) return value_name(option);
  return fmt::format("{}", fmt::join(family->names(), "|"));
}

bool has_named_values(const RunOption& option) {
  return family_of(option) || !option.details.choices.empty();
}

std::string canonical_text(const RunOption& option, const std::string& text) {
  const Family* family = family_of(option);
  if (option.name == "communicator") check_not_absent(text);
  return family ? choice_in(option, family->names(), text) : text;
}

void set_option(RunConfig& run, const RunOption& option, const std::string& text) {
  set_from_text(run, option, canonical_text(option, text));
}

}  // namespace lockstep
