// printable.h: text of strangers, for the terminal.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace lockstep {

std::string printable(std::string_view bytes);  // keeps UTF-8 and tabs, replaces the rest by '?'

// Whether it holds what printable() replaces, besides ends of lines.
bool commands_terminal(std::string_view text);

// Of an Error all of it, of a failure with files the path and the system's reason, of a library's
// exception the first line: what may follow is a backtrace.
std::string message_of(const std::exception& error);

}  // namespace lockstep
