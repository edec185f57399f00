// models.cpp: `lockstep models`: lists the networks, or the layers of one.
#include <fmt/format.h>

#include <ostream>

#include "app/command_line.h"
#include "app/flags.h"
#include "app/program.h"
#include "base/error.h"
#include "base/text.h"
#include "config/json.h"
#include "config/run_json.h"
#include "framework/network_json.h"
#include "nn/cost.h"
#include "nn/description/network_file.h"
#include "report/render/text_table.h"
#include "run/layer_table.h"
#include "run/run_plan.h"

namespace lockstep {
namespace {

using Align = TextTable::Align;

struct Options {
  std::string name;  // empty: all
  std::string dataset;
  ModelOptions options;
  bool json = false;
};

std::string giga(int64_t macs) { return fmt::format("{:.4f}", static_cast<double>(macs) / 1e9); }

Json json_of(const Model& model, const Graph& graph) {
  const Cost cost = cost_of(graph);
  return {{"name", model.name},
          {"dataset", model.dataset},
          {"image_size", model.image_size},
          {"default_batch_size", model.default_batch_size},
          {"parameters", cost.parameters},
          {"gradient_tensors", cost.gradient_tensors},
          {"forward_macs", cost.forward_macs}};
}

// How `lockstep train` trains it on one device unless told otherwise.
Json training_json(const RunPlan& plan) {
  const Schedule& schedule = plan.schedule;
  return {{"optimizer", plan.optimizer.name},
          {"weight_decay", plan.optimizer.weight_decay},
          {"seed", plan.first_values_seed},
          {"batch_size", plan.facts.batch_size},
          {"examples_per_epoch", plan.examples_per_epoch},
          {"learning_rate",
           {{"rates", schedule.rates},
            {"last_steps", schedule.boundaries},
            {"warmup_steps", schedule.warmup_steps}}}};
}

std::string one_model(const Model& model, const RunPlan& plan, const Options& options) {
  const Graph& graph = plan.graph;
  if (options.json) {
    Json json = json_of(model, graph);
    json["training"] = training_json(plan);
    json.update(network_json(graph));
    return json.dump(1) + "\n";
  }
  const Cost cost = cost_of(graph);
  return fmt::format("{} ({}, {}x{}): {} parameters in {} tensors, {} GMAC per image forward\n\n",
                     model.name, model.dataset, model.image_size, model.image_size,
                     thousands_text(cost.parameters), cost.gradient_tensors,
                     giga(cost.forward_macs)) +
         layer_table(graph);
}

std::string all_models(const Options& options) {
  Json list = Json::array();
  TextTable table({{"name", Align::Left},
                   {"data set", Align::Left},
                   {"image"},
                   {"batch"},
                   {"parameters"},
                   {"tensors"},
                   {"forward GMACs"}});
  for (const Model& model : models()) {
    if (!options.dataset.empty() && model.dataset != options.dataset) continue;
    const Graph graph = build(model, options.options);
    const Cost cost = cost_of(graph);
    list.push_back(json_of(model, graph));
    table.add({std::string(model.name), std::string(model.dataset),
               std::to_string(model.image_size), std::to_string(model.default_batch_size),
               thousands_text(cost.parameters), std::to_string(cost.gradient_tensors),
               giga(cost.forward_macs)});
  }
  return options.json ? list.dump(1) + "\n" : table.text();
}

CommandSyntax syntax_for(Options& options) {
  const auto set_dataset = [&options](const std::string& text) {
    options.dataset = find_dataset(text).name;
  };
  return {.command = "models",
          .summary = "Lists the networks, or the layers of one.",
          .flags = {switch_flag("json", "print JSON", &options.json),
                    number_flag({"num-classes",
                                 "number of classes [the data set's]",
                                 &options.options.num_classes,
                                 {2, 10'000'000}}),
                    {.name = "data-name",
                     .value_name = "NAME",
                     .help = "list only networks for this data set",
                     .set = set_dataset},
                    switch_flag("aux-head", "add the auxiliary classifier of inception3",
                                &options.options.aux_head)},
          .positional =
              Positional{.name = "NAME|FILE",
                         .help = "network, or network file, whose layers are listed",
                         .set = [&options](const std::string& name) { options.name = name; }}};
}

}  // namespace

int models_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  if (options.name.empty()) {
    context.out << all_models(options);
    return kSuccess;
  }
  RunConfig run;
  run.model = options.name;
  run.data_name = options.dataset;
  if (options.options.num_classes > 0) run.num_classes = options.options.num_classes;
  run.aux_head = options.options.aux_head;
  run.engine = context.engines.front().name;
  context.out << one_model(model_of(run), plan_run(run, context.engines, 1), options);
  return kSuccess;
}

}  // namespace lockstep
