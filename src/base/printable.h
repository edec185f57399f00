// printable.h: text of strangers, for the terminal.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

std::string printable(std::string_view bytes);  // keeps UTF-8 and tabs, replaces the rest by '?'

}  // namespace lockstep
