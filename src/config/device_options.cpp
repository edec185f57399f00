#include "config/device_options.h"

namespace lockstep {
namespace {

using R = RunConfig;
constexpr Range kFromOne = {.least = 1};
constexpr const char* kWhere = "Device and engine";

}  // namespace

// Rows, not columns: the formatter would spread each over five lines.
// clang-format off
std::vector<RunOption> device_options() {
  return {
    {"device", &R::device, kWhere,
     "device to train on; auto: for train, GPUs if this host and this build have them; gpu: "
     "whichever GPUs there are",
     {.choices = {"cpu", "gpu", "cuda", "cuda:N", "xpu", "xpu:N", "mps", "privateuseone",
                  "privateuseone:N"},
      .choices_note = "--engine native supports cpu only, --engine torch all of them",
      .value_aliases = {{"auto", "cpu"}}}},
    {"gpu-indices", &R::gpu_indices, kWhere,
     "GPUs of the workers of a host [0,1,...]", {.value_name = "N,N,..."}},
    {"num-devices", &R::num_devices, kWhere, "devices on this machine, or on each host",
     {.range = kFromOne, .letter = 'g', .aliases = {"num-gpus", "workers-per-node"}}},
    {"threads", &R::threads, kWhere, "threads per device; 0: every core the device may use",
     {.range = {.least = 0, .most = 4096}, .aliases = {"num-intra-threads"}}},
    {"dtype", &R::dtype, kWhere,
     "number format of activations and products; updated values, batch normalisation statistics and "
     "the loss are always f32",
     {.choices = {"f32", "tf32", "fp16", "bf16"},
      .value_aliases = {{"fp32", "f32"}, {"float32", "f32"}, {"f16", "fp16"}, {"float16", "fp16"},
                        {"bfloat16", "bf16"}}}},
    {"use-fp16", &R::use_fp16, kWhere, "same as --dtype fp16"},
    {"fp16-loss-scale", &R::fp16_loss_scale, kWhere,
     "factor of the loss with --dtype fp16; gradients are divided by it [128]",
     {.range = {.least = 1, .most = 0x1p24}}},
    {"fp16-enable-auto-loss-scale", &R::fp16_enable_auto_loss_scale, kWhere,
     "halve the loss scale and skip the update when a gradient overflows, double it after "
     "--fp16-inc-loss-scale-every-n steps without"},
    {"fp16-inc-loss-scale-every-n", &R::fp16_inc_loss_scale_every_n, kWhere,
     "steps without an overflow before the automatic loss scale doubles", {.range = kFromOne}},
    {"local-parameter-device", &R::local_parameter_device, kWhere,
     "where workers with GPUs keep parameters; gpu: in GPU memory where the strategy allows it",
     {.choices = {"cpu", "gpu"}}},
    {"graph", &R::graph, kWhere,
     "capture a training step as a graph of the GPU and replay it; one worker, or --variable-update "
     "independent"},
    {"data-format", &R::data_format, kWhere, "memory layout of input images",
     {.choices = {"NCHW", "NHWC"}}},
    {"conv-algo", &R::conv_algo, kWhere, "convolution algorithm; auto: the fastest one measured",
     {.choices = {"auto", "direct", "winograd"}}},
    {"engine", &R::engine, kWhere, "engine that runs the network", {.value_name = "NAME"}},
  };
}
// clang-format on

}  // namespace lockstep
