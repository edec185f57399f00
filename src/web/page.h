// page.h: a page as one file that needs nothing else: style, script and data are inside. The same
// code draws it from disk and from `lockstep serve`, which adds what changes.
#pragma once

#include <string>

#include "config/json_fwd.h"

namespace lockstep {

// `data`: {"sets": [page_set()...], "published": published_layer()}; with "live": true the page
// asks the server that it came from for more.
std::string page_html(const Json& data);

}  // namespace lockstep
