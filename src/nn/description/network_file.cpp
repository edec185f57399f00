#include "nn/description/network_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "nn/description/layer_reader.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

constexpr int64_t kMostParameters = int64_t{1} << 31;

// Everything that a file says.
struct NetworkDescription {
  Model model = {.name = "",
                 .dataset = "imagenet",
                 .image_size = 0,
                 .image_channels = 3,
                 .default_batch_size = 32,
                 .schedule = {ScheduleKind::Constant, 0.005},
                 .network = {}};
  bool has_dataset = false;
  std::optional<int> name_line = {};
  ConvDefaults defaults = {};
  LayerSequence layers = {};
};

void read_defaults(const toml::node& node, const std::string& source,
                   std::vector<std::string>& problems, ConvDefaults& defaults) {
  TomlReader reader(source, problems, "defaults: ");
  if (!node.is_table()) return reader.add_problem(node, "must be a table");
  LayerReader in(reader, *node.as_table());
  in.key("batch_norm", defaults.batch_norm);
  in.key("activation", defaults.activation);
  in.key("stddev", defaults.stddev);
  in.read();
}

void read_dataset(TomlReader& reader, const toml::node& node, NetworkDescription& network) {
  try {
    reader.read("dataset", node, network.model.dataset);
    find_dataset(network.model.dataset);
    network.has_dataset = true;
  } catch (const UsageError& error) {  // one line among the others
    reader.add_problem(node, error.what());
  }
}

NetworkDescription description_in(const toml::table& file, const std::string& source,
                                  std::vector<std::string>& problems) {
  NetworkDescription network;
  Model& model = network.model;
  TomlReader reader(source, problems);
  LayerReader in(reader, file);
  in.key("name", [&](const toml::node& node) {
    reader.read("name", node, model.name);
    network.name_line = line_of(node);
  });
  in.key("image_size", model.image_size, {.least = 1, .most = 4096});
  in.key("image_channels", model.image_channels, {.least = 1, .most = 1024});
  in.key("classes", model.classes, {.least = 2, .most = 1'000'000});
  in.key("batch_size", model.default_batch_size, {.least = 1, .most = 1'000'000});
  in.key("learning_rate", model.schedule.base, {.most = 1e6, .above = true});
  in.key("dataset", [&](const toml::node& node) { read_dataset(reader, node, network); });
  in.key("defaults",
         [&](const toml::node& node) { read_defaults(node, source, problems, network.defaults); });
  in.key("layers", [&](const toml::node& node) {
    if (!node.is_array()) return reader.refuse("layers", node, "a list of layers");
    network.layers = read_layers(*node.as_array(), source, problems);
  });
  in.read();
  for (const char* needed : {"image_size", "layers"}) {
    if (!file.contains(needed))
      problems.push_back(fmt::format("{}: {} is missing", source, needed));
  }
  return network;
}

// It names tables, files and series of reports.
void check_name(const NetworkDescription& network, const std::string& source) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  };
  const std::string& name = network.model.name;
  const std::string place =
      network.name_line ? fmt::format("{}:{}", source, *network.name_line) : source;
  if (name.empty() || name.size() > 64 || !std::ranges::all_of(name, fits) || name[0] == '-') {
    throw UsageError(
        "{}: the name '{}' must be at most 64 letters, digits, '_', '-' and '.'; set name = "
        "\"...\"",
        place, name);
  }
  if (is_model(name)) {
    const std::string known = known_name(name);
    throw UsageError("{}: lockstep has a network called {}{}; set another name = \"...\"", place,
                     known, name == known ? "" : ", also known as " + name);
  }
}

// The layer with the most of them.
NodeId largest(const std::vector<ParameterSpec>& parameters) {
  return std::ranges::max_element(parameters, {},
                                  [](const ParameterSpec& each) { return each.shape.elements(); })
      ->node;
}

// Every layer must lead to a loss, and there must be one. `places` are those of write_layers().
void check_outputs(const Graph& graph, const std::vector<std::string>& places) {
  const auto is_loss = [](const Node& node) {
    return std::holds_alternative<SoftmaxLoss>(node.layer);
  };
  if (!is_loss(graph.nodes().back())) {
    throw UsageError("{}: the last layer must be {{ classify = true }}", places.back());
  }
  const auto consumers = consumers_of(graph);
  for (size_t id = 0; const Node& node : graph.nodes()) {
    if (consumers[id].empty() && !is_loss(node)) {
      throw UsageError("{}: its output is not used", places[id]);
    }
    ++id;
  }
  const std::vector<ParameterSpec> all = parameters_of(graph);
  int64_t parameters = 0;
  for (const ParameterSpec& each : all) parameters += each.shape.elements();
  if (parameters > kMostParameters) {
    throw UsageError(
        "{}: the network has {} parameters, most of them here; at most {} are supported",
        places[static_cast<size_t>(largest(all))], thousands_text(parameters),
        thousands_text(kMostParameters));
  }
}

NetworkDescription checked_description(const std::string& text, const std::string& source) {
  if (std::ssize(text) > kLargestNetworkFile) {
    throw UsageError("{}: {} bytes; a network file has at most {}", source, text.size(),
                     kLargestNetworkFile);
  }
  std::vector<std::string> problems;
  NetworkDescription network = description_in(toml_in(text, source), source, problems);
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
  Model& model = network.model;
  // Of a loaded run, `source` is the name: what follows a dot is part of it.
  if (model.name.empty()) {
    model.name = is_network_file(source) ? std::filesystem::path(source).stem().string() : source;
  }
  check_name(network, source);
  const auto write = [defaults = network.defaults, layers = network.layers](Builder& net) {
    net.set_defaults(defaults);
    return write_layers(layers, net, net.image());
  };
  std::vector<std::string> places;
  model.network = [&](Builder& net) { places = write(net); };
  const Graph graph = build(model);
  places.front() = fmt::format("{}: layers", source);  // the image: there is nothing else
  check_outputs(graph, places);
  model.network = write;
  return network;
}

// Without comments and empty lines: they do not make another run. In a string of several lines,
// what looks like a comment is none.
std::string without_comments(const std::string& text) {
  if (text.find("\"\"\"") != std::string::npos || text.find("'''") != std::string::npos) {
    return text;
  }
  std::string result;
  for (const std::string& line : split(text, '\n')) {
    const size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string::npos && line[first] != '#') result += line.substr(first) + "\n";
  }
  return result;
}

std::string text_of_file(const std::string& path) {
  return read_regular_file(path, {.most_bytes = kLargestNetworkFile, .pipes = true});
}

// Of a word that is no network but nearly names a file, or has a batch size at its end.
void refuse_near_file(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code none;
  const size_t colon = std::min(name.rfind(':'), name.size());
  const std::string before = name.substr(0, colon);
  if (colon < name.size() && whole_number(name.substr(colon + 1)) &&
      (is_network_file(before) || is_model(before))) {
    throw UsageError(
        "unknown model '{}'; give batch sizes with --batch-size {}, or with --models of sweep and "
        "bench",
        name, name.substr(colon + 1));
  }
  if (is_model(name)) return;
  if (fs::is_regular_file(name + ".toml", none)) {
    throw UsageError("unknown model '{0}'; did you mean the file {0}.toml?", name);
  }
  if (fs::is_regular_file(name, none)) {
    throw UsageError("unknown model '{}'; the name of a network file ends in .toml", name);
  }
}

const Model& zoo_model(const std::string& name, std::optional<std::string_view> dataset = {}) {
  refuse_near_file(name);
  return find_model(name, dataset);
}

}  // namespace

bool is_network_file(std::string_view name) { return lower_case(name).ends_with(".toml"); }

Model described_model(const std::string& text, const std::string& source) {
  return checked_description(text, source).model;
}

Model model_named(const std::string& name) {
  return is_network_file(name) ? described_model(text_of_file(name), name) : zoo_model(name);
}

Model model_of(const RunConfig& run) {
  const auto dataset =
      run.data_name.empty() ? std::optional<std::string_view>() : find_dataset(run.data_name).name;
  if (run.network.empty() && !is_network_file(run.model)) return zoo_model(run.model, dataset);
  RunConfig loaded = run;
  load_network(loaded);
  NetworkDescription network = checked_description(loaded.network, loaded.model);
  Model model = std::move(network.model);
  model.name = loaded.model;
  if (dataset && network.has_dataset && *dataset != model.dataset) {
    throw UsageError("model '{}' is for data set {}, not {}", model.name, model.dataset, *dataset);
  }
  if (dataset) model.dataset = *dataset;
  return model;
}

void load_network(RunConfig& run) {
  if (!run.network.empty() || !is_network_file(run.model)) return;
  const std::string text = text_of_file(run.model);
  run.network_file = run.model;
  run.model = described_model(text, run.network_file).name;
  run.network = without_comments(text);
}

}  // namespace lockstep
