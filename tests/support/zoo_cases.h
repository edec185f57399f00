// zoo_cases.h: the models of the zoo as parameters of a suite, ready for their first step.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "engine/reference/replica.h"
#include "nn/zoo.h"

namespace lockstep {

struct ZooCase {
  std::string name;  // messages, digits and underscores
  const Model* model;
  ModelOptions options;

  Graph graph() const { return build(*model, options); }
};

// How GoogleTest shows one.
inline void PrintTo(const ZooCase& zoo_case, std::ostream* out) { *out << zoo_case.name; }

// Every model, and inception3 with its auxiliary head.
std::vector<ZooCase> zoo_cases();

// The values that training starts from.
void set_first_values(Replica& replica, const Graph& graph, uint64_t seed);

}  // namespace lockstep
