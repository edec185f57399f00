#include "process/run_child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>

#include "base/error.h"

extern char** environ;

namespace lockstep {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool is_replaced(std::string_view variable, const std::vector<std::string>& by) {
  const std::string_view name = variable.substr(0, variable.find('=') + 1);
  return std::ranges::any_of(by, [&](const std::string& each) { return each.starts_with(name); });
}

}  // namespace

int run_child(const ChildRun& child) {
  std::vector<char*> words = pointers_to(child.words), environment;
  for (char** each = environ; *each != nullptr; ++each) {
    if (!is_replaced(*each, child.variables)) environment.push_back(*each);
  }
  std::ranges::copy(pointers_to(child.variables), std::back_inserter(environment));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!child.show_stdout) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  }
  pid_t id = 0;
  const int error = posix_spawn(&id, words[0], &actions, nullptr, words.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error("cannot start {}: {}", words[0], std::strerror(error));
  int status = 0;
  while (waitpid(id, &status, 0) < 0) {
    if (errno != EINTR) throw Error("cannot wait for {}: {}", words[0], std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace lockstep
