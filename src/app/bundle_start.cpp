// bundle_start.cpp: the program `lockstep` of a bundle: starts the real one with the loader and the
// libraries of the bundle, whatever this system has.
//
// Linked statically, so that it needs nothing itself. It finds the bundle beside itself, or, from a
// directory bin, in ../libexec/lockstep.
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

// The same as in src/base/bundle.cpp.
constexpr const char* kLoader = "ld-linux-x86-64.so.2";
constexpr const char* kProgram = "lockstep-program";
constexpr int kFailure = 1;

using Path = char[PATH_MAX];

bool join(Path& path, const char* directory, const char* name) {
  return snprintf(path, sizeof path, "%s/%s", directory, name) < static_cast<int>(sizeof path);
}

bool find_bundle(Path& directory) {
  Path own = "";
  if (readlink("/proc/self/exe", own, sizeof own - 1) < 0) return false;
  *strrchr(own, '/') = '\0';
  for (const char* place : {".", "../libexec/lockstep"}) {
    Path there, program;
    if (join(there, own, place) && realpath(there, directory) != nullptr &&
        join(program, directory, kProgram) && access(program, X_OK) == 0) {
      return true;
    }
  }
  return false;
}

// The user's own path comes last: drivers of GPUs may be found there, our libraries may not.
const char* library_path(const char* directory) {
  const char* more = getenv("LD_LIBRARY_PATH");
  if (more == nullptr || *more == '\0') return directory;
  char* path = nullptr;
  return asprintf(&path, "%s:%s", directory, more) < 0 ? directory : path;
}

int start(const char* directory, int count, char** words) {
  Path loader, program;
  if (!join(loader, directory, kLoader) || !join(program, directory, kProgram)) return ENAMETOOLONG;
  const char* options[] = {loader, "--argv0", words[0], "--library-path", library_path(directory),
                           program};
  constexpr size_t kOptions = sizeof options / sizeof *options;
  auto** all =
      static_cast<const char**>(calloc(kOptions + static_cast<size_t>(count), sizeof(char*)));
  if (all == nullptr) return ENOMEM;
  memcpy(all, options, sizeof options);
  for (int word = 1; word < count; ++word)
    all[kOptions - 1 + static_cast<size_t>(word)] = words[word];
  execv(loader, const_cast<char**>(all));
  return errno;
}

}  // namespace

int main(int count, char** words) {
  Path directory = "";
  if (!find_bundle(directory)) {
    fprintf(stderr,
            "lockstep: found no %s beside this file nor in ../libexec/lockstep; unpack again\n",
            kProgram);
    return kFailure;
  }
  if (strpbrk(directory, ":;") != nullptr) {
    fprintf(stderr,
            "lockstep: %s: ':' and ';' separate paths of libraries; move lockstep elsewhere\n",
            directory);
    return kFailure;
  }
  const int why = start(directory, count, words);
  fprintf(stderr, "lockstep: cannot start %s/%s: %s\n", directory, kLoader, strerror(why));
  return kFailure;
}
