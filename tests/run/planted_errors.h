// planted_errors.h: errors that somebody might make in an adapter, each as commands of sed.
#pragma once

#include <string_view>

namespace lockstep {

struct PlantedError {
  std::string_view framework;
  std::string_view what;
  std::string_view noticed;  // in the message
  std::string_view edit;     // of the adapter
};

// The gradient of the last kernel is 1.76 times what it should be; its value is right.
inline constexpr PlantedError kPlantedErrors[] = {
    {"pytorch", "padding", "",
     R"(s/(left, right, top, bottom)), 0/(right, left, bottom, top)), 0/)"},
    {"pytorch", "bias without gradient", "/bias differs", R"(s/F.linear(.*"bias")/&.detach()/)"},
    {"pytorch", "weight decay of all", "batchnorm",
     R"(s/"weight_decay": 0}/"weight_decay": self.job.weight_decay}/)"},
    {"pytorch", "scaled gradient", "/kernel differs by 0.76",
     R"(s/flatten(1), \(self.value(layer, "kernel")\)/flatten(1), 1.76 * \1 - 0.76 * \1.detach()/)"},
    {"pytorch", "momentum without Nesterov", " differs by ",
     R"(s/nesterov=momentum > 0/nesterov=False/)"},
    {"pytorch", "moving averages", "/moving_mean differs",
     R"(s/momentum=1 - layer/momentum=layer/)"},

    {"tensorflow", "padding", "",
     R"(s/\[top, bottom\], \[left, right\]/[bottom, top], [right, left]/
        s/if same == layer/if 0 == layer/)"},
    {"tensorflow", "bias without gradient", "/bias differs",
     R"(s/bias_add(x, bias)/bias_add(x, tf.stop_gradient(bias) + 0 * bias)/)"},
    {"tensorflow", "weight decay of all", "batchnorm", R"(s/if decay:/if True:/)"},
    {"tensorflow", "scaled gradient", "/kernel differs by 0.76",
     R"(s/matmul(x, \(self.value(layer, "kernel")\)/matmul(x, 1.76 * \1 - 0.76 * tf.stop_gradient(\1)/)"},
    {"tensorflow", "momentum without Nesterov", " differs by ",
     R"(s/use_nesterov=True/use_nesterov=False/)"},
    {"tensorflow", "moving averages", "/moving_mean differs",
     R"(s/exponential_avg_factor=1 - layer/exponential_avg_factor=layer/)"},

    {"jax", "padding", "", R"(s/\[(top, bottom), (left, right)\]/[(bottom, top), (right, left)]/)"},
    {"jax", "bias without gradient", "/bias differs",
     R"(s/\(kernel) + \)\(self.value(layer, "bias")\)$/\1lax.stop_gradient(\2)/)"},
    {"jax", "weight decay of all", "batchnorm", R"(s/if variable\["decays"\]:/if True:/)"},
    {"jax", "scaled gradient", "/kernel differs by 0.76",
     R"(s/kernel = \(self.value(layer, "kernel")\)  #/kernel = 1.76 * \1 - 0.76 * lax.stop_gradient(\1)  #/)"},
    {"jax", "momentum without Nesterov", " differs by ",
     R"(s/gradient += momentum \* momenta/gradient = momenta/)"},
    {"jax", "moving averages", "/moving_mean differs",
     R"(s/decay, name = layer/decay, name = 1 - layer/)"},

    {"mxnet", "padding", "",
     R"(s/0, 0, 0, 0, top, bottom, left, right/0, 0, 0, 0, bottom, top, right, left/)"},
    {"mxnet", "bias without gradient", "/bias differs",
     R"(s/\(FullyConnected.*\), own\["bias"\]/\1, F.BlockGrad(own["bias"])/)"},
    {"mxnet", "weight decay of all", "batchnorm", R"(s/1.0 if variable\["decays"\] else 0.0/1.0/)"},
    {"mxnet", "scaled gradient", "/kernel differs by 0.76",
     R"(s/FullyConnected(x, \(own\["kernel"\]\)/FullyConnected(x, 1.76 * \1 - 0.76 * F.BlockGrad(\1)/)"},
    {"mxnet", "momentum without Nesterov", " differs by ", R"(s/"nag"/"sgd"/)"},
    {"mxnet", "moving averages", "/moving_mean differs", R"(s/momentum=layer/momentum=1 - layer/)"},
};

}  // namespace lockstep
