// run_label.h: short labels that tell runs apart: model, batch, devices, and what differs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

// Options that are not the same in all of them, but for those that every label has anyway (model,
// batch size, devices, engine and program) and those that only tell. `network` is one of them if a
// name stands for several network files.
std::vector<std::string_view> differing_options(std::span<const RunConfig> runs);
// Options that all of them set to the same, other than their defaults; but for the same as above.
std::vector<std::string_view> common_options(std::span<const RunConfig> runs);

// What runs the network: the engine, or the name of the program.
std::string engine_label(const RunConfig& run);
// Devices of all hosts together, as far as the options tell: --num-workers, or --num-devices on
// each of --nodes or --hosts.
int devices_of(const RunConfig& run);
// The value of an option, short enough for a table: of the text of a network file, its hash.
std::string setting_text(const RunConfig& run, std::string_view option);
// "variable-update=horovod threads=2", of the named options; those without a value, such as
// --num-ps of a strategy without servers, are left out.
std::string settings_label(const RunConfig& run, std::span<const std::string_view> options);
// "alexnet:256 x2 native threads=2": on two devices; by default those of devices_of().
std::string run_label(const RunConfig& run, std::span<const std::string_view> options,
                      std::optional<int> devices = {});

}  // namespace lockstep
