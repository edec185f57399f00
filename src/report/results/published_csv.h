// published_csv.h: data/published.csv as the build embedded it.
#pragma once

#include <string_view>

namespace lockstep {

std::string_view published_csv();

}  // namespace lockstep
