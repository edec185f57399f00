#include "app/result_on_stdout.h"

#include <filesystem>
#include <fstream>
#include <ostream>

#include "app/flags.h"
#include "base/error.h"
#include "process/guarded_directory.h"
#include "report/render/output_lines.h"
#include "run/run_input.h"

namespace lockstep {

Flag result_as_json_flag(bool* json) {
  Flag flag =
      switch_flag("json", "print the result as JSON and nothing else to stdout: --result -", json);
  flag.overrules = {"true", {"result"}};
  return flag;
}

void choose_stdout(std::string& result) {
  if (!result.empty() && result != "-") {
    throw UsageError(
        "--json prints the result to stdout, --result {} writes it to a file; give one", result);
  }
  result = "-";
}

int with_result_on_stdout(RunContext& context, RunConfig& config,
                          const std::function<int(RunContext&)>& run) {
  // A process on another node shares the working directory with us, but no temporary files.
  const bool elsewhere = runs_elsewhere(config, context.environment);
  const GuardedDirectory directory(elsewhere ? std::filesystem::current_path()
                                             : temporary_directory());
  const std::filesystem::path file = directory.path() / kStdoutResult;
  config.result = file.string();
  RunContext redirected = with_out(context, context.err);
  const int code = run(redirected);
  if (std::ifstream result(file, std::ios::binary); result) context.out << result.rdbuf();
  return code;
}

}  // namespace lockstep
