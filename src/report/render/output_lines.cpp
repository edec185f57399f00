#include "report/render/output_lines.h"

namespace lockstep {

std::string result_line(const std::string& path) {
  return path.ends_with(kStdoutResult) ? "" : "wrote " + path;
}

std::string trace_line(const std::string& path) { return "Dumping trace to " + path; }

}  // namespace lockstep
