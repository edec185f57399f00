// layer_reader.h: reads the tables of a network file that describe layers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/toml_reader.h"
#include "nn/description/layer_description.h"

namespace lockstep {

// The keys of one table, each with the value that it sets.
class LayerReader {
 public:
  LayerReader(TomlReader& reader, const toml::table& table) : reader_(reader), table_(table) {}

  void key(const std::string& name, int& value, const TomlRange& range);
  void key(const std::string& name, double& value, const TomlRange& range = {});
  void key(const std::string& name, std::optional<double>& value);
  void key(const std::string& name, bool& value);
  void key(const std::string& name, std::optional<bool>& value);
  void key(const std::string& name, std::string& value);
  void key(const std::string& name, Extent& value);  // 3 or [1, 7]
  void key(const std::string& name, Padding& value);
  void key(const std::string& name, Activation& value);
  void key(const std::string& name, std::optional<Activation>& value);
  void key(const std::string& name, std::optional<BatchNorm>& value);  // true, false or a table
  void key(const std::string& name, PadChannels& value);
  void always(const std::string& name);  // its value is true
  void key(const std::string& name, std::function<void(const toml::node&)> read);

  // Reads the table; keys that are not named here are problems.
  void read() { read_keys(table_, keys_, reader_); }

 private:
  TomlReader& reader_;
  const toml::table& table_;
  std::vector<TomlKey> keys_;
};

// What a layer holds besides plain values.
enum class InnerLayers {
  None,
  Branches,  // the value of its kind's key: lists of layers, one for each input
  Layers,    // the value of the key `layers`
};

// A kind of layer is a row of layer_kinds.cpp.
struct LayerKind {
  std::string_view name;  // the key that makes a table a layer of this kind
  void (*read)(LayerReader& in, LayerDescription& layer);
  InnerLayers inner = InnerLayers::None;
  bool key_of_others = false;  // layers of other kinds have this key too
};
std::span<const LayerKind> layer_kinds();

// Throws nothing; problems go to the list.
LayerSequence read_layers(const toml::array& layers, const std::string& source,
                          std::vector<std::string>& problems);

}  // namespace lockstep
