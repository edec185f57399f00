#include "nn/description/layer_reader.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr TomlRange kSide = {.least = 1, .most = 255};
constexpr TomlWord<Padding> kPaddings[] = {
    {"same", Padding::Same}, {"valid", Padding::Valid}, {"same_resnet", Padding::SameResnet}};
constexpr TomlWord<Activation> kActivations[] = {
    {"none", Activation::None}, {"relu", Activation::Relu}, {"relu6", Activation::Relu6}};

// Two whole numbers; anything else is a problem.
void read_two(TomlReader& reader, const std::string& name, const toml::node& node,
              const TomlRange& range, std::pair<int, int>& two) {
  const toml::array* array = node.as_array();
  if (!array || array->size() != 2) return reader.refuse(name, node, "a list of two numbers");
  reader.read(name, *array->get(0), two.first, range);
  reader.read(name, *array->get(1), two.second, range);
}

void read_norm(TomlReader& reader, const std::string& name, const toml::node& node,
               std::optional<BatchNorm>& norm) {
  if (const auto on = node.value_exact<bool>()) {
    if (*on) norm.emplace();
    return;
  }
  if (!node.is_table()) return reader.refuse(name, node, "true, false or a table");
  BatchNorm& values = norm.emplace();
  LayerReader in(reader, *node.as_table());
  in.key("decay", values.decay, {.most = 1});
  in.key("epsilon", values.epsilon, {.most = 1, .above = true});
  in.key("scale", values.scale);
  in.read();
}

class SequenceReader {
 public:
  SequenceReader(const std::string& source, std::vector<std::string>& problems)
      : source_(source), problems_(problems) {}

  // `prefix` of the numbers of its layers: "3.2." in the second branch of layer 3.
  LayerSequence read(const toml::array& layers, const std::string& prefix) {
    LayerSequence sequence;
    for (size_t i = 0; i < layers.size(); ++i) {
      const std::string number = fmt::format("layer {}{}", prefix, i + 1);
      const toml::node& node = layers[i];
      if (const toml::table* table = node.as_table()) {
        sequence.push_back(read_layer(*table, number, fmt::format("{}{}.", prefix, i + 1)));
      } else {
        TomlReader(source_, problems_).refuse(number, node, "a table, such as { conv = 64 }");
      }
    }
    return sequence;
  }

 private:
  LayerDescription read_layer(const toml::table& table, const std::string& number,
                              const std::string& prefix) {
    LayerDescription layer;
    const LayerKind* kind = kind_of(table);
    const Slip slip = slip_in(table);
    // { dens = 4, activation = "relu" } is meant to be a dense layer.
    if (!kind || (kind->key_of_others && slip.meant && !slip.meant->key_of_others)) {
      refuse_kind(table, number, slip);
      return layer;
    }
    const std::string part = fmt::format("{} ({})", number, kind->name);
    layer.place = fmt::format("{}:{}: {}", source_, line_of(table), part);
    TomlReader reader(source_, problems_, part + ": ");
    LayerReader in(reader, table);
    in.key("name", layer.name);
    in.key("from", layer.from);
    if (kind->inner == InnerLayers::Branches) {
      in.key(std::string(kind->name), [&, name = std::string(kind->name)](const toml::node& node) {
        read_branches(reader, name, node, prefix, layer);
      });
    }
    if (kind->inner == InnerLayers::Layers) {
      in.key("layers", [&](const toml::node& node) {
        if (!node.is_array() || node.as_array()->empty()) {
          return reader.refuse("layers", node, "a list of layers");
        }
        layer.branches.push_back(read(*node.as_array(), prefix));
      });
    }
    kind->read(in, layer);
    if (kind->inner == InnerLayers::Layers && !table.contains("layers")) {
      reader.add_problem(table, "layers is missing");
    }
    return layer;
  }

  void read_branches(TomlReader& reader, const std::string& name, const toml::node& node,
                     const std::string& prefix, LayerDescription& layer) {
    const std::string wanted = "a list of branches, each a list of layers: [[{ conv = 64 }], []]";
    const toml::array* all = node.as_array();
    if (!all || all->empty()) return reader.refuse(name, node, wanted);
    for (size_t i = 0; i < all->size(); ++i) {
      const toml::array* branch = (*all)[i].as_array();
      if (!branch) return reader.refuse(name, (*all)[i], wanted);
      layer.branches.push_back(read(*branch, fmt::format("{}{}.", prefix, i + 1)));
    }
  }

  static const LayerKind* kind_of(const toml::table& table) {
    for (const LayerKind& kind : layer_kinds()) {
      if (table.contains(kind.name)) return &kind;
    }
    return nullptr;
  }

  struct Slip {
    std::string key;
    const LayerKind* meant = nullptr;  // the kind whose name the key nearly is; null: none
  };

  static Slip slip_in(const toml::table& table) {
    std::vector<std::string> names = {"name"};
    for (const LayerKind& kind : layer_kinds()) names.emplace_back(kind.name);
    for (const auto& [key, node] : table) {
      if (std::ranges::count(names, key.str()) > 0) continue;
      const std::string near = closest(key.str(), names);
      const auto kind = std::ranges::find(layer_kinds(), near, &LayerKind::name);
      if (kind != layer_kinds().end()) return {std::string(key.str()), &*kind};
    }
    return {};
  }

  void refuse_kind(const toml::table& table, const std::string& number, const Slip& slip) {
    std::vector<std::string_view> names;
    for (const LayerKind& kind : layer_kinds()) names.push_back(kind.name);
    const std::string problem =
        slip.meant ? fmt::format("unknown kind {}; did you mean {}?", slip.key, slip.meant->name)
                   : fmt::format("it has no kind; use one of {}", fmt::join(names, ", "));
    TomlReader(source_, problems_).add_problem(table, fmt::format("{}: {}", number, problem));
  }

  const std::string& source_;
  std::vector<std::string>& problems_;
};

}  // namespace

void LayerReader::key(const std::string& name, std::function<void(const toml::node&)> read) {
  keys_.push_back({name, std::move(read)});
}
void LayerReader::key(const std::string& name, int& value, const TomlRange& range) {
  key(name, [=, this, &value](const toml::node& node) { reader_.read(name, node, value, range); });
}
void LayerReader::key(const std::string& name, double& value, const TomlRange& range) {
  key(name, [=, this, &value](const toml::node& node) { reader_.read(name, node, value, range); });
}
void LayerReader::key(const std::string& name, std::optional<double>& value) {
  key(name, [=, this, &value](const toml::node& node) {
    reader_.read(name, node, value.emplace(), {.most = 1000});
  });
}
void LayerReader::key(const std::string& name, bool& value) {
  key(name, [=, this, &value](const toml::node& node) { reader_.read(name, node, value); });
}
void LayerReader::key(const std::string& name, std::optional<bool>& value) {
  key(name,
      [=, this, &value](const toml::node& node) { reader_.read(name, node, value.emplace()); });
}
void LayerReader::key(const std::string& name, std::string& value) {
  key(name, [=, this, &value](const toml::node& node) { reader_.read(name, node, value); });
}
void LayerReader::key(const std::string& name, Extent& value) {
  key(name, [=, this, &value](const toml::node& node) {
    std::pair<int, int> sides = {1, 1};
    if (node.is_array()) {
      read_two(reader_, name, node, kSide, sides);
    } else {
      reader_.read(name, node, sides.first, kSide);
      sides.second = sides.first;
    }
    value = {sides.first, sides.second};
  });
}
void LayerReader::key(const std::string& name, Padding& value) {
  key(name,
      [=, this, &value](const toml::node& node) { reader_.read(name, node, kPaddings, value); });
}
void LayerReader::key(const std::string& name, Activation& value) {
  key(name,
      [=, this, &value](const toml::node& node) { reader_.read(name, node, kActivations, value); });
}
void LayerReader::key(const std::string& name, std::optional<Activation>& value) {
  key(name, [=, this, &value](const toml::node& node) {
    reader_.read(name, node, kActivations, value.emplace());
  });
}
void LayerReader::key(const std::string& name, std::optional<BatchNorm>& value) {
  key(name, [=, this, &value](const toml::node& node) { read_norm(reader_, name, node, value); });
}
void LayerReader::key(const std::string& name, PadChannels& value) {
  key(name, [=, this, &value](const toml::node& node) {
    std::pair<int, int> channels = {0, 0};
    read_two(reader_, name, node, {.most = 65536}, channels);
    value = {.before = channels.first, .after = channels.second};
  });
}
void LayerReader::always(const std::string& name) {
  key(name, [=, this](const toml::node& node) {
    if (node.value_exact<bool>() != true) reader_.refuse(name, node, "true");
  });
}

LayerSequence read_layers(const toml::array& layers, const std::string& source,
                          std::vector<std::string>& problems) {
  return SequenceReader(source, problems).read(layers, "");
}

}  // namespace lockstep
