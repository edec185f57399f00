// slow_reads.cpp: preloaded into a program (LD_PRELOAD), it makes every read of a file below the
// directory SLOW_DIRECTORY take as long as on a busy file server.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

constexpr std::chrono::milliseconds kLatency{40};

bool is_slow(int descriptor) {
  const char* directory = std::getenv("SLOW_DIRECTORY");
  if (!directory) return false;
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = readlink(link.c_str(), path, sizeof path);
  const size_t all = std::strlen(directory);
  return length > static_cast<ssize_t>(all) && std::strncmp(path, directory, all) == 0;
}

}  // namespace

extern "C" ssize_t pread(int descriptor, void* data, size_t bytes, off_t offset) {
  using Pread = ssize_t (*)(int, void*, size_t, off_t);
  static const auto real = reinterpret_cast<Pread>(dlsym(RTLD_NEXT, "pread"));
  if (is_slow(descriptor)) std::this_thread::sleep_for(kLatency);
  return real(descriptor, data, bytes, offset);
}
