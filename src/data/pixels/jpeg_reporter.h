// jpeg_reporter.h: error handling for libjpeg: it calls a function that must not return and that
// jumps back to our call. No object with a destructor may exist across the jump.
#pragma once

// jpeglib.h uses FILE and size_t without saying where they come from.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <csetjmp>

namespace lockstep {

struct JpegReporter {
  jpeg_error_mgr manager;  // first: libjpeg hands its address back
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] inline void jump_back(j_common_ptr info) {
  JpegReporter& reporter = *reinterpret_cast<JpegReporter*>(info->err);
  reporter.manager.format_message(info, reporter.message);
  std::longjmp(reporter.back, 1);
}

}  // namespace lockstep
