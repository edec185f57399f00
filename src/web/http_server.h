// http_server.h: a small HTTP server that strangers cannot exhaust.
//
// One thread reads and writes all connections with poll, so a slow one costs a descriptor and
// nothing else. A few threads compute the responses. Everything is bounded: the bytes and the time
// of a request, the connections in total and of one address, the time to read a response, the bytes
// that wait to be read. When there are too many connections, the oldest without a whole request
// makes room. Only the head of a request is read; a connection ends with its response.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "web/http_message.h"

namespace lockstep {

struct HttpLimits {
  size_t head_bytes = 16 << 10;
  Seconds head_time{10};
  Seconds response_time{300};        // to read all of it; streams: to read anything
  size_t waiting_bytes = 256 << 20;  // of all responses that are being read
  size_t stream_bytes = 4 << 20;     // that one reader of a stream may lag behind
  int connections = 256;
  int connections_of_address = 64;
  int streams = 48;
  int threads = 4;
};

class HttpServer {
 public:
  struct Options {
    std::string host = "127.0.0.1";
    int port = 0;  // 0: any free one
    HttpLimits limits = {};
    // Called by several threads. What it throws is a response 500.
    std::function<HttpResponse(const HttpRequest&)> respond;
    std::function<void()> stream_began = {};
  };

  // Serves when it returns. Throws Error if the port is not available.
  explicit HttpServer(Options options);
  ~HttpServer();  // ends all connections
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  int streams() const;
  // To the readers of all streams: `all` to those that have had nothing yet, `news` to the others.
  void publish(const std::string& news, const std::string& all);
  void end_streams();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace lockstep
