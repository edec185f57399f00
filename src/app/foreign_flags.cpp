#include "app/foreign_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lockstep {
namespace {

enum class Kind { Switch, Value };

struct ForeignFlag {
  std::string_view name;
  Kind kind;
  std::string_view why = {};       // why it is refused; empty: it is ignored
  std::string_view harmless = {};  // a value that is ignored even so; of a switch: off
};

constexpr ForeignFlag kForeignFlags[] = {
    // Threads and their pinning: the program does that itself.
    {"mkl", Kind::Switch},
    {"kmp-blocktime", Kind::Value},
    {"kmp-affinity", Kind::Value},
    {"kmp-settings", Kind::Value},
    {"num-inter-threads", Kind::Value},
    {"use-numa-affinity", Kind::Switch,
     "workers of a host are pinned to neighbouring cores; use --num-devices with one device per "
     "NUMA node"},
    // Where TensorFlow stores and moves data.
    {"local-parameter-device", Kind::Value},
    {"use-datasets", Kind::Switch},
    {"datasets-use-prefetch", Kind::Switch},
    {"datasets-parallel-interleave-cycle-length", Kind::Value},
    {"datasets-parallel-interleave-prefetch", Kind::Value},
    {"datasets-sloppy-parallel-interleave", Kind::Switch,
     "not supported; the order of examples depends on --seed alone"},
    {"datasets-repeat-cached-sample", Kind::Switch,
     "not supported; --cache takes storage out of the measurement"},
    {"multi-device-iterator-max-buffer-size", Kind::Value},
    {"use-python32-barrier", Kind::Switch},
    {"fuse-decode-and-crop", Kind::Switch},
    {"distort-color-in-yiq", Kind::Switch},
    {"force-gpu-compatible", Kind::Switch},
    {"compute-lr-on-cpu", Kind::Switch},
    {"gpu-thread-mode", Kind::Value},
    {"per-gpu-thread-count", Kind::Value},
    {"gpu-memory-frac-for-testing", Kind::Value},
    {"use-unified-memory", Kind::Switch},
    {"timestamped-allocator", Kind::Switch},
    {"gpu-kt-max-interval", Kind::Value},
    {"gpu-kt-max-bytes", Kind::Value},
    {"gpu-kt-max-pending", Kind::Value},
    {"allow-growth", Kind::Switch},
    {"sync-on-finish", Kind::Switch},
    {"use-chrome-trace-format", Kind::Switch},
    {"summary-verbosity", Kind::Value},
    {"eval-dir", Kind::Value},
    // How TensorFlow computes the same values.
    {"autotune-threshold", Kind::Value},
    {"winograd-nonfused", Kind::Switch},
    {"batchnorm-persistent", Kind::Switch},
    {"enable-optimizations", Kind::Switch},
    {"rewriter-config", Kind::Value},
    {"single-l2-loss-op", Kind::Switch},
    {"sparse-to-dense-grads", Kind::Switch},
    {"use-tf-layers", Kind::Switch},
    {"use-resource-vars", Kind::Switch},
    {"xla", Kind::Switch},
    {"xla-compile", Kind::Switch},
    {"network-topology", Kind::Value},
    {"allreduce-merge-scope", Kind::Value},
    // 16-bit floating point.
    {"use-fp16", Kind::Switch,
     "not supported, training is in f32; --gradient-compression fp16 or bf16 halves the bytes "
     "sent"},
    {"fp16-vars", Kind::Switch, "not supported, variables are in f32"},
    {"fp16-loss-scale", Kind::Value},
    {"fp16-enable-auto-loss-scale", Kind::Switch},
    {"fp16-inc-loss-scale-every-n", Kind::Value},
    {"compact-gradient-transfer", Kind::Switch},
    // Not supported, or done differently.
    {"hierarchical-copy", Kind::Switch,
     "not supported; --communicator hierarchical reduces inside every host first"},
    {"horovod-device", Kind::Value, "gradients are summed on the CPU; use cpu", "cpu"},
    {"server-protocol", Kind::Value, "not supported; use --communicator", "grpc"},
    {"controller-host", Kind::Value, "there is no controller; the first worker is the rendezvous"},
    {"gpu-indices", Kind::Value,
     "not supported; --device cuda:N with --engine torch selects a GPU"},
    {"batch-group-size", Kind::Value,
     "not supported; --prefetch sets how many batches are prepared ahead", "1"},
    {"input-preprocessor", Kind::Value, "not supported; use 'default'", "default"},
    {"ml-perf", Kind::Switch,
     "not supported; images are preprocessed as by --input_preprocessor=default"},
    {"num-eval-epochs", Kind::Value,
     "an evaluation is one pass over the validation data; use --num-eval-batches for less", "1"},
    {"freeze-when-forward-only", Kind::Switch,
     "not supported; --forward-only already runs the engine in inference mode"},
    {"trt-mode", Kind::Value, "TensorRT is not supported"},
    {"trt-max-workspace-size-bytes", Kind::Value},
    {"tfprof-file", Kind::Value, "not supported; --profile prints the time of every layer"},
    {"graph-file", Kind::Value, "not supported; 'lockstep models NAME' lists the layers"},
    {"partitioned-graph-file-prefix", Kind::Value,
     "not supported; 'lockstep models NAME' lists the layers"},
};

struct Word {
  std::string name;   // without dashes in front, underscores as dashes
  std::string value;  // behind '=', or of the next word
  bool has_value;     // behind '='
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
  return word.name == flag.name || (flag.kind == Kind::Switch && is_off(flag, word));
}

bool is_refused(const ForeignFlag& flag, const Word& word) {
  if (flag.why.empty()) return false;
  return flag.kind == Kind::Switch ? !is_off(flag, word)
                                   : word.value.empty() || word.value != flag.harmless;
}

}  // namespace

KnownArguments without_foreign_flags(std::span<const std::string> arguments) {
  KnownArguments known;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool is_long = argument.size() > 2 && argument.starts_with("--");
    Word word = is_long ? word_of(argument) : Word{};
    const auto flag = std::find_if(std::begin(kForeignFlags), std::end(kForeignFlags),
                                   [&](const ForeignFlag& each) { return matches(each, word); });
    if (!is_long || flag == std::end(kForeignFlags)) {
      known.arguments.push_back(argument);
      continue;
    }
    const bool takes_next = flag->kind == Kind::Value && !word.has_value;
    if (takes_next && i + 1 < arguments.size()) word.value = arguments[++i];
    if (is_refused(*flag, word)) {
      known.refused.push_back(fmt::format("--{}: {}", word.name, flag->why));
    } else {
      known.ignored.push_back("--" + word.name);
    }
  }
  return known;
}

}  // namespace lockstep
