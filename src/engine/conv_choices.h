// conv_choices.h: the method that computes each convolution, as a plain value.
//
// Which method is fastest depends on shape, direction, batch, threads and machine, so it is
// measured. The outcome is a table that can be kept in a file, or sent to other ranks: two engines
// with the same table compute the same bits, two that measured for themselves perhaps not.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lockstep {

// By work ("forward 3x3/1 64x56x56 to 64x56x56 pads 1 1 1 1 batch 16") the method
// ("winograd"). Work that is not in it is decided by a rule.
using ConvChoices = std::map<std::string, std::string>;

// One line each, "method: work".
std::string to_text(const ConvChoices& choices);

// Throws Error, naming the line that is not one of these.
ConvChoices conv_choices_from_text(std::string_view text);

}  // namespace lockstep
