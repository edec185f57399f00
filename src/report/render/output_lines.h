// output_lines.h: the lines that announce the files of a run.
#pragma once

#include <string>

namespace lockstep {

std::string result_line(const std::string& path);
std::string trace_line(const std::string& path);  // as tf_cnn_benchmarks prints it

}  // namespace lockstep
