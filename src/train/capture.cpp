#include "train/capture.h"

#include <algorithm>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr const char* kCarried = "carried/";

std::string value_name(const ParameterInfo& parameter) { return "values/" + parameter.name; }
std::string statistics_name(const StateInfo& state) { return "statistics/" + state.name; }
std::string carried_name(const std::string& row, const ParameterInfo& parameter) {
  return kCarried + row + "/" + parameter.name;
}

// Row after row, as the checkpoint names them.
std::vector<std::string> rows_in(const Checkpoint& checkpoint, const ParameterInfo& first) {
  std::vector<std::string> rows;
  const std::string end = "/" + first.name;
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    if (!tensor.name.starts_with(kCarried) || !tensor.name.ends_with(end)) continue;
    const size_t begin = std::string_view(kCarried).size();
    const std::string row = tensor.name.substr(begin, tensor.name.size() - end.size() - begin);
    if (row.find('/') == std::string::npos) rows.push_back(row);
  }
  return rows;
}

// Part `id` of a row that is laid out like the arena.
std::span<const float> part(std::span<const float> row, const ParameterArena& arena,
                            ParameterId id) {
  return row.subspan(static_cast<size_t>(arena.offset(id)), arena.values(id).size());
}

}  // namespace

Checkpoint capture(CheckpointFacts facts, Engine& engine, const ParameterArena& arena,
                   Strategy& strategy) {
  const Carried carried = strategy.carried();
  facts.optimizer_steps = carried.optimizer_steps;
  facts.sum_of_squares = carried.sum_of_squares.value_or(-1);
  if (const auto& scale = carried.loss_scale) {
    facts.loss_scale = scale->scale;
    facts.steps_of_loss_scale = scale->sound_steps;
  }
  const auto parameters = engine.parameters();
  const auto states = engine.state();
  std::vector<CheckpointTensor> tensors;
  std::vector<std::function<void(std::span<float>)>> fills;
  const auto add_row = [&](std::span<const float> row, const auto& name_of) {
    for (ParameterId id = 0; id < std::ssize(parameters); ++id) {
      tensors.push_back({name_of(parameters[id]), parameters[id].shape.dims()});
      fills.push_back([&engine, &arena, row, id](std::span<float> out) {
        engine.read_plain(id, part(row, arena, id), out);
      });
    }
  };
  add_row(carried.values, value_name);
  for (const StateInfo& state : states) {
    tensors.push_back({statistics_name(state), {std::ssize(state.values)}});
    fills.emplace_back(
        [&state](std::span<float> out) { std::ranges::copy(state.values, out.begin()); });
  }
  for (const CarriedRow& row : carried.rows) {
    add_row(row.floats, [&](const ParameterInfo& info) { return carried_name(row.name, info); });
  }
  return Checkpoint(facts, std::move(tensors),
                    [&](size_t i, std::span<float> out) { fills[i](out); });
}

void load(const Checkpoint& checkpoint, Engine& engine, ParameterArena& arena) {
  for (ParameterId id = 0; const ParameterInfo& info : engine.parameters()) {
    engine.write_plain(id, checkpoint.floats(value_name(info), info.shape.elements()),
                       arena.values(id));
    engine.values_changed(id);
    ++id;
  }
  for (const StateInfo& state : engine.state()) {
    std::ranges::copy(checkpoint.floats(statistics_name(state), std::ssize(state.values)),
                      state.values.begin());
  }
  engine.state_changed();
}

Carried carried_in(const Checkpoint& checkpoint, const Engine& engine,
                   const ParameterArena& arena) {
  const CheckpointFacts& facts = checkpoint.facts();
  Carried carried{.values = {}, .optimizer_steps = facts.optimizer_steps};
  if (facts.sum_of_squares >= 0) carried.sum_of_squares = facts.sum_of_squares;
  if (facts.loss_scale > 0) {
    carried.loss_scale = {.scale = facts.loss_scale, .sound_steps = facts.steps_of_loss_scale};
  }
  const auto parameters = engine.parameters();
  for (const std::string& name : rows_in(checkpoint, parameters[0])) {
    CarriedRow row = {name, std::vector<float>(arena.all_values().size())};
    for (ParameterId id = 0; id < std::ssize(parameters); ++id) {
      const ParameterInfo& info = parameters[id];
      engine.write_plain(
          id, checkpoint.floats(carried_name(name, info), info.shape.elements()),
          std::span(row.floats)
              .subspan(static_cast<size_t>(arena.offset(id)), arena.values(id).size()));
    }
    carried.rows.push_back(std::move(row));
  }
  return carried;
}

void copy_replica(Engine& from, const ParameterArena& from_arena, std::span<const float> values,
                  Engine& to, ParameterArena& to_arena) {
  std::vector<float> plain;
  for (ParameterId id = 0; const ParameterInfo& info : from.parameters()) {
    plain.resize(static_cast<size_t>(info.shape.elements()));
    from.read_plain(id, part(values, from_arena, id), plain);
    to.write_plain(id, plain, to_arena.values(id));
    to.values_changed(id);
    ++id;
  }
  const auto source = from.state(), target = to.state();
  for (size_t i = 0; i < target.size(); ++i) {
    std::ranges::copy(source[i].values, target[i].values.begin());
  }
  to.state_changed();
}

}  // namespace lockstep
