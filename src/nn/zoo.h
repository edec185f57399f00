// zoo.h: the table of networks. `lockstep models` prints it; to add one, write its function in
// models/ and its row in zoo.cpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "nn/builder.h"
#include "nn/datasets.h"
#include "nn/schedule.h"

namespace lockstep {

struct Model {
  std::string name;     // unique: "resnet50", "cifar10_alexnet"
  std::string dataset;  // of datasets()
  int image_size;       // both sides, in pixels
  int image_channels;
  int default_batch_size;
  ModelSchedule schedule;  // of the learning rate, unless the user sets another
  std::function<void(Builder& net)> network;
  int classes = 0;  // outputs of its classifier, by default; 0: as many as the data set has

  Shape image() const { return {image_channels, image_size, image_size}; }
};

std::span<const Model> models();

// Names are compared as canonical_name() spells them; "cifar10_resnet20" and "resnet20" are one. A
// name that several data sets share means the given data set's model, else the first in the table
// (ImageNet's). Throws UsageError, with close names, for what is not there.
const Model& find_model(std::string_view name, std::optional<std::string_view> dataset = {});
bool is_model(std::string_view name);
// As the table spells it; of a model that is not in it, the name as it is given.
std::string known_name(std::string_view name);

int classes_of(const Model& model);  // by default

// Throws UsageError for options that the model does not have.
Graph build(const Model& model, ModelOptions options = {});

}  // namespace lockstep
