// run_context.h: the context of a process that can train: streams, environment, engines.
#pragma once

#include <span>

#include "base/context.h"
#include "run/engines.h"

namespace lockstep {

struct CommandSyntax;

struct RunContext : Context {
  std::span<const EngineKind> engines;  // the first is the default
  // Learns the options of a command that is not to do anything; empty: it runs.
  std::function<void(const CommandSyntax&)> hear_syntax = {};
  std::string defaults_problem = {};  // why `defaults` could not be read; --help needs none
  std::vector<std::string> defaults_notes = {};  // the same of what they ignore
};

// The same, but for stdout and stderr.
inline RunContext with_streams(const RunContext& context, std::ostream& out, std::ostream& err) {
  return {{.out = out,
           .err = err,
           .err_is_terminal = context.err_is_terminal,
           .colour = context.colour,
           .program = context.program,
           .cache_directory = context.cache_directory,
           .default_threads = context.default_threads,
           .start = context.start,
           .environment = context.environment,
           .provenance = context.provenance,
           .quiet = context.quiet},
          context.engines,
          context.hear_syntax};
}
// The same, but for stdout.
inline RunContext with_out(const RunContext& context, std::ostream& out) {
  return with_streams(context, out, context.err);
}

}  // namespace lockstep
