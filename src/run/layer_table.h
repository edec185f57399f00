// layer_table.h: the layers of a network as a table, and the file of --graph-file.
#pragma once

#include <string>

#include "nn/graph.h"

namespace lockstep {

std::string layer_table(const Graph& graph);

// The content of --graph-file: the table if the name ends in txt, else JSON.
std::string graph_file_text(const std::string& path, const Graph& graph);

}  // namespace lockstep
