// self_test.h: tests a machine, or many: does every core and device compute and communicate right,
// and how fast is memory?
//
// Of the ranks that share cores the first tests all of them; with a GPU, every rank tests its own.
// Each set of vector instructions is tested in a
// process of its own, because a library chooses it once, and because a crash must not end the rest.
#pragma once

#include "config/json.h"
#include "measure/cores.h"
#include "run/group.h"
#include "run/run_context.h"
#include "selftest/test_row.h"

namespace lockstep {

struct SelfTestOptions {
  RunConfig run;  // device, engine, hosts and how to reach them
  int passes = 2;
  std::string fault = {};   // of --inject-fault
  std::string part = {};    // of a process that tests one part: the vector extension
  CoreSet part_cores = {};  // the same: its cores
};

inline constexpr const char* kWholePart = "default";  // of an engine without a choice

// One part, in this process.
std::vector<TestRow> test_part(const RunContext& context, const SelfTestOptions& options);

// Collective: everything. On rank 0 the rows of all ranks and the facts of all hosts, else nothing.
struct SelfTestReport {
  std::vector<TestRow> rows;
  Json hosts;  // facts by name
  double seconds = 0;
};
SelfTestReport test_everything(const RunContext& context, const SelfTestOptions& options,
                               Group& group, bool with_mpi);

Json report_json(const SelfTestReport& report, const Provenance& provenance);
SelfTestReport self_test_report_in(std::string_view text);  // throws Error

// The files to attach to a report, in a new or empty directory. Throws UsageError or Error.
void write_bundle(const std::string& directory, const SelfTestReport& report,
                  const Provenance& provenance);
void check_bundle(const std::string& directory);

}  // namespace lockstep
