#include "app/foreign_flags.h"

#include <algorithm>
#include <string_view>

namespace lockstep {
namespace {

// What may be passed over: a switch either way, a switch that is turned off, a flag with its value.
enum class Kind { Switch, SwitchedOff, Value };

struct ForeignFlag {
  std::string_view name;
  Kind kind;
};

constexpr ForeignFlag kForeignFlags[] = {
    // Threads and their places: the program does that itself.
    {"mkl", Kind::Switch},
    {"kmp-blocktime", Kind::Value},
    {"kmp-affinity", Kind::Value},
    {"kmp-settings", Kind::Value},
    {"num-inter-threads", Kind::Value},
    {"use-numa-affinity", Kind::SwitchedOff},
    // Where TensorFlow keeps and moves things.
    {"local-parameter-device", Kind::Value},
    {"use-datasets", Kind::Switch},
    {"datasets-use-prefetch", Kind::Switch},
    {"datasets-parallel-interleave-cycle-length", Kind::Value},
    {"datasets-sloppy-parallel-interleave", Kind::SwitchedOff},
    {"fuse-decode-and-crop", Kind::Switch},
    {"distort-color-in-yiq", Kind::Switch},
    {"force-gpu-compatible", Kind::Switch},
    {"compute-lr-on-cpu", Kind::Switch},
    {"gpu-thread-mode", Kind::Value},
    {"per-gpu-thread-count", Kind::Value},
    {"allow-growth", Kind::Switch},
    {"sync-on-finish", Kind::Switch},
    {"summary-verbosity", Kind::Value},
    {"eval-dir", Kind::Value},
    // How it computes the same thing.
    {"autotune-threshold", Kind::Value},
    {"winograd-nonfused", Kind::Switch},
    {"batchnorm-persistent", Kind::Switch},
    {"enable-optimizations", Kind::Switch},
    {"single-l2-loss-op", Kind::Switch},
    {"use-tf-layers", Kind::Switch},
    {"use-resource-vars", Kind::Switch},
    {"xla", Kind::Switch},
    {"xla-compile", Kind::Switch},
    // What does not happen anyway.
    {"use-fp16", Kind::SwitchedOff},
    {"fp16-vars", Kind::SwitchedOff},
    {"staged-vars", Kind::SwitchedOff},
    {"hierarchical-copy", Kind::SwitchedOff},
};

struct Word {
  std::string name;   // without dashes in front, underscores as dashes
  std::string value;  // behind '='
  bool has_value;
};

Word word_of(const std::string& argument) {
  const size_t equals = std::min(argument.find('='), argument.size());
  std::string name = argument.substr(2, equals - 2);
  std::replace(name.begin(), name.end(), '_', '-');
  const bool has_value = equals < argument.size();
  return {name, has_value ? argument.substr(equals + 1) : "", has_value};
}

bool is_off(const ForeignFlag& flag, const Word& word) {
  const std::string name(flag.name);
  if (word.name == "no" + name || word.name == "no-" + name) return true;
  return word.name == name && (word.value == "false" || word.value == "False" || word.value == "0");
}

bool matches(const ForeignFlag& flag, const Word& word) {
  if (flag.kind == Kind::SwitchedOff) return is_off(flag, word);
  if (word.name == flag.name) return true;
  return flag.kind == Kind::Switch && is_off(flag, word);
}

}  // namespace

KnownArguments without_foreign_flags(std::span<const std::string> arguments) {
  KnownArguments known;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool is_long = argument.size() > 2 && argument.starts_with("--");
    const Word word = is_long ? word_of(argument) : Word{};
    const auto flag = std::find_if(std::begin(kForeignFlags), std::end(kForeignFlags),
                                   [&](const ForeignFlag& each) { return matches(each, word); });
    if (!is_long || flag == std::end(kForeignFlags)) {
      known.arguments.push_back(argument);
      continue;
    }
    known.passed_over.push_back("--" + word.name);
    if (flag->kind == Kind::Value && !word.has_value) ++i;  // the next word is its value
  }
  return known;
}

}  // namespace lockstep
