// error.h: the project's exceptions, for errors outside the program's control.
//
// The message is written for the user: what was given, what is wrong, what would work. Only main,
// a thread's top, and code that adds context catch it. What we did wrong ourselves is an assert.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace lockstep {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}

  template <typename... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

// A command line or configuration that cannot be run: exit code 2 instead of 1.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A valid request that this framework or external program does not support: a sweep skips it.
class NotSupportedError : public UsageError {
 public:
  using UsageError::UsageError;
};

// There is no room left to write: every further attempt would fail as well.
class DiskFullError : public Error {
 public:
  using Error::Error;
};

}  // namespace lockstep
