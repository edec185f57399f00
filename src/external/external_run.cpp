#include "external/external_run.h"

#include <fmt/ranges.h>

#include "base/error.h"
#include "config/problems.h"
#include "config/python_choice.h"
#include "external/ready_programs.h"
#include "nn/description/network_file.h"
#include "process/ports.h"

namespace lockstep {
namespace {

// Our networks in any spelling; other names pass unchanged: a program may have more networks.
const Model* known_model(const std::string& name) {
  try {
    return &find_model(name);
  } catch (const UsageError&) {  // not one of our networks: allowed here
    return nullptr;
  }
}

RunConfig resolved(const Program& program, const RunConfig& options) {
  RunConfig run = with_fixed_options(program, options);
  const Model* model = known_model(run.model);
  if (model) run.model = model->name;
  if (run.batch_size == 0) {
    if (!model) {
      throw UsageError("--model {}: {} has no default batch size for it; give --batch-size",
                       run.model, program.name);
    }
    run.batch_size = model->default_batch_size;
  }
  run.num_batches = run.num_batches.value_or(kDefaultTimedSteps);
  return run;
}

Addresses local_addresses(const ProcessCounts& counts) {
  Addresses addresses;
  const std::vector<int> ports = free_ports(counts.servers + counts.workers + 1);
  for (int i = 0; i < counts.servers + counts.workers; ++i) {
    auto& side = i < counts.servers ? addresses.servers : addresses.workers;
    side.push_back(fmt::format("127.0.0.1:{}", ports[static_cast<size_t>(i)]));
  }
  addresses.port = fmt::to_string(ports.back());
  return addresses;
}

void refuse(const std::vector<std::string>& problems) {
  if (!problems.empty()) throw NotSupportedError("{}", fmt::join(problems, "\n"));
}

}  // namespace

ExternalRun plan_external(const RunConfig& options, const Environment& environment) {
  refuse(problems_in(options));
  if (!options.network.empty() || is_network_file(options.model)) {
    refuse({fmt::format("--model {}: an external program has its own networks; leave out --program",
                        options.model)});
  }
  ExternalRun run;
  run.program = load_program(options.program);
  refuse(unsupported_options(run.program, options));
  run.config = resolved(run.program, options);
  run.counts = process_counts(run.program, run.config);
  run.workers = reporting_workers(run.program, run.config);
  RunConfig with_python = run.config;
  const auto is_meant = [&](const std::string& name) { return name == run.program.name; };
  with_python.python = {chosen_python(run.config.python, is_meant, environment)};
  run.plan = plan_program(run.program, with_python, local_addresses(run.counts));
  run.limits.time = Seconds(run.config.program_timeout.value_or(run.program.timeout_seconds));
  if (run.program.silence_seconds) run.limits.silence = Seconds(*run.program.silence_seconds);
  return run;
}

}  // namespace lockstep
