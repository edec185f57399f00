// page.h: the report page as one self-contained HTML file with style, script and data. The same
// page works from disk and from `lockstep serve`, which adds live updates.
#pragma once

#include <string>

#include "config/json_fwd.h"

namespace lockstep {

// `data`: {"sets": [page_set()...], "published": published_layer()}; with "live": true the page
// requests updates from its server.
std::string page_html(const Json& data);

}  // namespace lockstep
