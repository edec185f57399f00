// installed_pages.h: where the pages are that help and messages name as docs/networks.md.
#pragma once

#include <string>

namespace lockstep {

// The directory docs of what `program` belongs to: a bundle, a package or a clone. Empty: unknown.
std::string directory_of_pages(const std::string& program);

}  // namespace lockstep
