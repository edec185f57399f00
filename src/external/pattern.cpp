#include "external/pattern.h"

#include <re2/re2.h>

#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

int named_group(const re2::RE2& expression, const std::string& name) {
  const auto& groups = expression.NamedCapturingGroups();
  const auto found = groups.find(name);
  return found == groups.end() ? 0 : found->second;
}

}  // namespace

Pattern::Pattern(const std::string& text, Kind kind) {
  if (text.empty()) return;
  re2::RE2::Options options;
  options.set_log_errors(false);
  expression_ = std::make_unique<re2::RE2>(text, options);
  if (!expression_->ok()) {
    throw UsageError("'{}' is not a valid regular expression: {}", text, expression_->error());
  }
  worker_ = named_group(*expression_, "worker");
  step_ = named_group(*expression_, "step");
  loss_ = named_group(*expression_, "loss");
  value_ = named_group(*expression_, "value");
  if (value_ == 0 && kind == Kind::Number) value_ = 1;
  if (kind == Kind::Number && expression_->NumberOfCapturingGroups() < value_) {
    throw UsageError("'{}' has no group for the number; put it in (parentheses)", text);
  }
}

Pattern::Pattern(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

std::optional<PatternMatch> Pattern::find(const std::string& line) const {
  if (!expression_) return {};
  std::vector<re2::StringPiece> groups(static_cast<size_t>(expression_->NumberOfCapturingGroups()) +
                                       1);
  if (!expression_->Match(line, 0, line.size(), re2::RE2::UNANCHORED, groups.data(),
                          static_cast<int>(groups.size()))) {
    return {};
  }
  const auto text = [&](int group) {
    return group == 0 ? std::string() : std::string(groups[static_cast<size_t>(group)]);
  };
  return PatternMatch{
      .value = text(value_), .worker = text(worker_), .step = text(step_), .loss = text(loss_)};
}

}  // namespace lockstep
