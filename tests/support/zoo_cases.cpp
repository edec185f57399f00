#include "support/zoo_cases.h"

#include <cctype>

#include "nn/initial_values.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

std::string letters_and_digits(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return result;
}

}  // namespace

std::vector<ZooCase> zoo_cases() {
  std::vector<ZooCase> cases;
  for (const Model& model : models()) {
    cases.push_back({letters_and_digits(model.name), &model, {}});
  }
  cases.push_back({"inception3_with_aux_head", &find_model("inception3"), {.aux_head = true}});
  return cases;
}

void set_first_values(Replica& replica, const Graph& graph, uint64_t seed) {
  for (ParameterId id = 0; const ParameterSpec& spec : parameters_of(graph)) {
    std::vector<float> values(spec.shape.elements());
    fill_initial_values(graph, spec, seed, values);
    replica.set_plain(id++, values);
  }
}

}  // namespace lockstep
