// page_server.h: the HTTP server of `lockstep serve`: the page, and updates as server-sent events.
//
// On the loopback address requests need a loopback Host header, so that other sites cannot read the
// page by DNS rebinding. On other addresses every request needs the token: once as ?token=, then as
// a cookie. The server is read-only. It reads only regular files below its directories, and follows
// no links out of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace lockstep {

struct ServeOptions {
  std::vector<std::string> roots;
  std::string host = "127.0.0.1";
  int port = 0;            // 0: any free port
  std::string token = {};  // empty: no token needed
};

bool is_this_machine(const std::string& host);  // a loopback address or name

class PageServer {
 public:
  // Starts serving in its own threads. Throws Error if the port is not available.
  explicit PageServer(const ServeOptions& options);
  ~PageServer();  // ends all connections
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const;
  std::string url() const;  // with the token; reachable from other hosts if allowed

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace lockstep
