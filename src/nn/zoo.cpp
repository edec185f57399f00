#include "nn/zoo.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "nn/model_names.h"
#include "nn/models/networks.h"

namespace lockstep {
namespace {

using enum ResnetVersion;
constexpr ModelSchedule kUsual = {ScheduleKind::Constant, 0.005};
constexpr ModelSchedule kResnet = {ScheduleKind::ResnetImagenet, 0.128};
constexpr ModelSchedule kResnetCifar = {ScheduleKind::ResnetCifar, 0.1};
constexpr ModelSchedule kDensenet = {ScheduleKind::DensenetCifar, 0.1};
constexpr ModelSchedule kAlexnetCifar = {ScheduleKind::AlexnetCifar, 0.1};

const std::vector<Model>& table() {
  // clang-format off
  static const std::vector<Model> models = {
    // name, data set, image size and channels, default batch, learning rate, network
    {"trivial",          "imagenet", 227, 3,  32, kUsual,  trivial},
    {"lenet",            "imagenet",  28, 3,  32, kUsual,  lenet},
    {"alexnet",          "imagenet", 227, 3, 512, kUsual,  alexnet},
    {"overfeat",         "imagenet", 231, 3,  32, kUsual,  overfeat},
    {"vgg11",            "imagenet", 224, 3,  64, kUsual,  vgg11},
    {"vgg16",            "imagenet", 224, 3,  64, kUsual,  vgg16},
    {"vgg19",            "imagenet", 224, 3,  64, kUsual,  vgg19},
    {"googlenet",        "imagenet", 224, 3,  32, kUsual,  googlenet},
    {"inception3",       "imagenet", 299, 3,  32, kUsual,  inception3},
    {"inception4",       "imagenet", 299, 3,  32, kUsual,  inception4},
    {"resnet50",         "imagenet", 224, 3,  64, kResnet, resnet_of<kResnet50, V1>},
    {"resnet50_v1.5",    "imagenet", 224, 3,  64, kResnet, resnet_of<kResnet50, V1_5>},
    {"resnet50_v2",      "imagenet", 224, 3,  64, kResnet, resnet_of<kResnet50, V2>},
    {"resnet101",        "imagenet", 224, 3,  32, kResnet, resnet_of<kResnet101, V1>},
    {"resnet101_v1.5",   "imagenet", 224, 3,  32, kResnet, resnet_of<kResnet101, V1_5>},
    {"resnet101_v2",     "imagenet", 224, 3,  32, kResnet, resnet_of<kResnet101, V2>},
    {"resnet152",        "imagenet", 224, 3,  32, kResnet, resnet_of<kResnet152, V1>},
    {"resnet152_v1.5",   "imagenet", 224, 3,  32, kResnet, resnet_of<kResnet152, V1_5>},
    {"resnet152_v2",     "imagenet", 224, 3,  32, kResnet, resnet_of<kResnet152, V2>},
    {"mobilenet",        "imagenet", 224, 3,  32, kUsual,  mobilenet},
    {"cifar10_trivial",  "cifar10",   32, 3,  32, kUsual,  trivial},
    {"cifar10_alexnet",  "cifar10",   32, 3, 128, kAlexnetCifar, alexnet_cifar},
    {"resnet20",         "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<20, V1>},
    {"resnet20_v2",      "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<20, V2>},
    {"resnet32",         "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<32, V1>},
    {"resnet32_v2",      "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<32, V2>},
    {"resnet44",         "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<44, V1>},
    {"resnet44_v2",      "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<44, V2>},
    {"resnet56",         "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<56, V1>},
    {"resnet56_v2",      "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<56, V2>},
    {"resnet110",        "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<110, V1>},
    {"resnet110_v2",     "cifar10",   32, 3, 128, kResnetCifar, resnet_cifar_of<110, V2>},
    {"densenet40_k12",   "cifar10",   32, 3,  64, kDensenet, densenet_of<40, 12>},
    {"densenet100_k12",  "cifar10",   32, 3,  64, kDensenet, densenet_of<100, 12>},
    {"densenet100_k24",  "cifar10",   32, 3,  64, kDensenet, densenet_of<100, 24>},
    {"mnist",            "mnist",     28, 1,  50, kUsual,  mnist},
  };
  // clang-format on
  return models;
}

// Other names that papers and programs use for a network of the table.
struct Alias {
  std::string_view name, model;
};
constexpr Alias kAliases[] = {
    {"lenet5", "lenet"},
    {"mobilenet_v2", "mobilenet"},
    {"inception_v1", "googlenet"},
};

std::string canonical_without_alias(std::string_view name) {
  const std::string wanted = canonical_name(name);
  for (const Alias& alias : kAliases) {
    if (canonical_name(alias.name) == wanted) return canonical_name(alias.model);
  }
  return wanted;
}

bool answers_to(const Model& model, const std::string& wanted) {
  const std::string name = canonical_name(model.name), dataset = canonical_name(model.dataset);
  const std::string own = name.starts_with(dataset) ? name.substr(dataset.size()) : name;
  return wanted == name || (!own.empty() && (wanted == own || wanted == dataset + own));
}

[[noreturn]] void report_unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const Model& model : table()) names.emplace_back(model.name);
  const std::vector<std::string> close = close_names(name, names);
  const std::string hint =
      close.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(close, ", "));
  throw UsageError("unknown model '{}'{} ('lockstep models' lists all)", name, hint);
}

}  // namespace

std::span<const Model> models() { return table(); }

const Model& find_model(std::string_view name, std::optional<std::string_view> dataset) {
  if (dataset) find_dataset(*dataset);
  const std::string wanted = canonical_without_alias(name);
  const Model* other = nullptr;  // of that name, for another data set
  for (const Model& model : table()) {
    if (!answers_to(model, wanted)) continue;
    if (!dataset || model.dataset == *dataset) return model;
    other = &model;
  }
  if (!other) report_unknown(name);
  throw UsageError("model '{}' is for data set {}, not {} ('lockstep models' lists all)", name,
                   other->dataset, *dataset);
}

std::string known_name(std::string_view name) {
  const std::string wanted = canonical_without_alias(name);
  const auto known =
      std::ranges::find_if(table(), [&](const Model& model) { return answers_to(model, wanted); });
  return std::string(known == table().end() ? name : known->name);
}

bool is_model(std::string_view name) {
  return std::ranges::count(table(), known_name(name), &Model::name) > 0;
}

int classes_of(const Model& model) {
  return model.classes > 0 ? model.classes : find_dataset(model.dataset).classes;
}

Graph build(const Model& model, ModelOptions options) {
  if (options.num_classes == 0) options.num_classes = classes_of(model);
  if (options.num_classes < 2) {
    throw UsageError("a network needs at least 2 classes, not {}", options.num_classes);
  }
  Builder net(model.image(), options);
  model.network(net);
  Graph graph = std::move(net).finish();
  const auto losses = std::ranges::count_if(graph.nodes(), [](const Node& node) {
    return std::holds_alternative<SoftmaxLoss>(node.layer);
  });
  if (options.aux_head && losses < 2) {
    throw UsageError("model '{}' has no auxiliary head; inception3 has one", model.name);
  }
  return graph;
}

}  // namespace lockstep
