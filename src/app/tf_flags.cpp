#include "app/tf_flags.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

std::string with_dashes(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  return dashed;
}

bool is_true(const std::string& text) {
  constexpr std::string_view kYes[] = {"true", "t", "yes", "y", "1"};
  return std::ranges::count(kYes, lower_case(text)) > 0;
}

// Whether the text is the flag's default there. A switch without one is off by default.
bool is_default(const TfFlag& flag, const std::string& text) {
  if (flag.kind == TfFlag::Kind::Switch) return is_true(text) == (flag.fallback == "true");
  const auto here = finite_number(text), there = finite_number(flag.fallback);
  if (here && there) return *here == *there;
  return lower_case(text) == lower_case(flag.fallback);
}

// What works here although the flag is refused.
bool is_harmless(const TfFlag& flag, const std::string& text) {
  return is_default(flag, text) || (flag.name == "horovod_device" && lower_case(text) == "cpu");
}

Flag hidden_flag(const TfFlag& flag, IgnoredFlags& ignored) {
  const std::string name = with_dashes(flag.name);
  const bool refused = flag.fate == TfFlag::Fate::Refused;
  return {.name = name,
          .value_name = flag.kind == TfFlag::Kind::Switch ? "" : "VALUE",
          .help = "",
          .set =
              [=, &flag, &ignored](const std::string& text) {
                if (refused && !is_harmless(flag, text)) {
                  throw UsageError("--{}: {}", name, flag.text);
                }
                if (!refused && !is_default(flag, text)) ignored.add(name, flag.text);
              },
          .hidden = true};
}

std::string_view word_for(TfFlag::Fate fate) {
  switch (fate) {
    case TfFlag::Fate::Works:
      return "works";
    case TfFlag::Fate::Ignored:
      return "ignored";
    case TfFlag::Fate::Refused:
      break;
  }
  return "refused";
}

}  // namespace

void IgnoredFlags::add(const std::string& name, std::string_view why) {
  auto row = std::ranges::find(by_reason_, why, &decltype(by_reason_)::value_type::first);
  if (row == by_reason_.end()) row = by_reason_.insert(row, {why, {}});
  row->second.push_back("--" + name);
}

std::vector<std::string> IgnoredFlags::notes() const {
  std::vector<std::string> lines;
  for (const auto& [why, names] : by_reason_) {
    lines.push_back(fmt::format("{} ignored: {}", fmt::join(names, ", "), why));
  }
  return lines;
}

std::vector<Flag> tf_only_flags(IgnoredFlags& ignored) {
  std::vector<Flag> flags;
  for (const std::span<const TfFlag> table : {tf_flags(), absl_flags()}) {
    for (const TfFlag& flag : table) {
      if (flag.fate != TfFlag::Fate::Works) flags.push_back(hidden_flag(flag, ignored));
    }
  }
  return flags;
}

std::string tf_flags_markdown() {
  std::string text = "| flag | default there | here | remark |\n|---|---|---|---|\n";
  for (const TfFlag& flag : tf_flags()) {
    text += fmt::format("| `--{}` | {} | {} | {} |\n", flag.name,
                        flag.fallback.empty() ? "" : fmt::format("`{}`", flag.fallback),
                        word_for(flag.fate), flag.text);
  }
  return text;
}

}  // namespace lockstep
