#include "app/build_facts.h"

#include <fmt/ranges.h>

#include "app/other_program.h"
#include "comm/gloo.h"
#include "comm/mpi.h"
#include "measure/topology.h"
#include "sim/message/message_fidelity.h"

namespace lockstep {
namespace {

constexpr const char* kAbsent = "not built in";

std::string or_absent(const std::string& version) { return version.empty() ? kAbsent : version; }

std::string compiler() {
#ifdef __clang__
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string fmt_version() {
  return fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

// Of an engine: the vector extensions that its kernels use here, or the program that has it.
std::string engine_text(const EngineKind& engine, const RunContext& context) {
  if (!engine.elsewhere) {
    if (!engine.simd_targets) return "built in";
    return fmt::format("built in, kernels for {}", fmt::join(engine.simd_targets(), " "));
  }
  if (is_built(*engine.elsewhere, context)) {
    return fmt::format("in the program {} beside this one", engine.elsewhere->name);
  }
  return fmt::format("{}; {}", kAbsent, remedy_for(*engine.elsewhere, context));
}

}  // namespace

std::string build_facts(const RunContext& context) {
  std::string text;
  const auto row = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{}: {}\n", name, value);
  };
  row("compiler", compiler());
  for (const EngineKind& engine : context.engines) {
    row(fmt::format("engine {}", engine.name), engine_text(engine, context));
  }
  row("Gloo", gloo_version());
  row("hwloc API", hwloc_version());
  row("fmt", fmt_version());
  row("MPI", or_absent(mpi_library_version()));
  row("SimGrid", or_absent(simgrid_version()));
  row("CUDA, NCCL, NVML", "loaded at run time, where they are installed");
  return text;
}

}  // namespace lockstep
