#include "config/piecewise.h"

#include "base/error.h"
#include "base/text.h"

namespace lockstep {

Piecewise parse_piecewise(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    throw UsageError(
        "--piecewise-learning-rate-schedule must be rates and the epochs between them, as "
        "'0.3;10;0.2;25;0.1', not '{}': {}",
        text, why);
  };
  Piecewise pieces;
  for (const std::string& part : split(text, ';')) {
    const auto number = finite_number(part);
    if (!number) refuse("'" + part + "' is no number");
    if (*number < 0) refuse("'" + part + "' is negative");
    const bool is_rate = pieces.rates.size() == pieces.epochs.size();
    (is_rate ? pieces.rates : pieces.epochs).push_back(*number);
  }
  if (pieces.rates.size() == pieces.epochs.size()) refuse("it must end with a rate");
  for (size_t i = 1; i < pieces.epochs.size(); ++i) {
    if (pieces.epochs[i] <= pieces.epochs[i - 1]) refuse("the epochs must rise");
  }
  return pieces;
}

}  // namespace lockstep
