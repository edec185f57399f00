// page_server.h: the page of `lockstep serve` over HTTP, and what is new as server-sent events.
//
// On the loopback address any program of this machine may ask, but only under a loopback name, so
// that no page of another site can read along by renaming itself. Elsewhere every request needs the
// token: as ?token= once, as a cookie from then on. Nothing can be changed through it.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace lockstep {

struct ServeOptions {
  std::vector<std::string> roots;
  std::string host = "127.0.0.1";
  int port = 0;            // 0: any that is free
  std::string token = {};  // empty: none is needed
};

bool is_this_machine(const std::string& host);  // an address or name that nobody else can reach

class PageServer {
 public:
  // Answers from now on, in threads of its own. Throws Error when the port cannot be had.
  explicit PageServer(const ServeOptions& options);
  ~PageServer();  // ends all connections
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const;
  std::string url() const;  // with the token; one that others can use, if they may

 private:
  struct Inside;  // of the HTTP library
  std::unique_ptr<Inside> inside_;
};

}  // namespace lockstep
