// page_assets.h: the files of assets/ for the page, as embedded by the build.
#pragma once

#include <string_view>

namespace lockstep {

std::string_view page_template();
std::string_view page_style();
std::string_view page_charts();
std::string_view page_sections();
std::string_view page_answer();
std::string_view page_timeline();
std::string_view page_script();
std::string_view uplot_style();
std::string_view uplot_script();

}  // namespace lockstep
