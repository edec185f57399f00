// page_number.h: a number as the data of the page has it.
#pragma once

#include "config/json_fwd.h"

namespace lockstep {

// Rounded to so many digits, so that a page with thousands of numbers stays small. Null: it is, or
// is rounded to, none that JSON has.
Json page_number(double value, int digits);

}  // namespace lockstep
