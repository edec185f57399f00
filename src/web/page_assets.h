// page_assets.h: the files of assets/ that a page is made of, as the build embedded them.
#pragma once

#include <string_view>

namespace lockstep {

std::string_view page_template();
std::string_view page_style();
std::string_view page_charts();
std::string_view page_sections();
std::string_view page_script();
std::string_view uplot_style();
std::string_view uplot_script();

}  // namespace lockstep
