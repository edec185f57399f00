// output_lines.h: the lines that announce the files of a run.
#pragma once

#include <string>

namespace lockstep {

// Empty for the file behind --result -, which the user never sees.
std::string result_line(const std::string& path);
inline constexpr const char* kStdoutResult = "lockstep-result-for-stdout.json";  // its name
std::string trace_line(const std::string& path);  // as tf_cnn_benchmarks prints it

}  // namespace lockstep
