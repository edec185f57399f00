// http_listener.h: a listening TCP socket on an address of this machine.
#pragma once

#include <string>

#include "base/file_descriptor.h"

namespace lockstep {

// `host`: an address or a name. Port 0: any free one. Throws Error if it is not available.
FileDescriptor listen_at(const std::string& host, int port);

int port_of(const FileDescriptor& socket);

// The next connection, which never blocks, and the address of its other end. Not open: there is
// none.
struct Accepted {
  FileDescriptor socket;
  std::string address;
};
Accepted accept_from(const FileDescriptor& listener);

}  // namespace lockstep
