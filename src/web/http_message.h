// http_message.h: requests and responses of HTTP/1.1, as far as a read-only page needs them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

struct HttpRequest {
  std::string method, path;                    // the path is decoded
  std::map<std::string, std::string> query;    // decoded; the first of a name counts
  std::map<std::string, std::string> headers;  // names in lower case; the first of a name counts

  std::string header(const std::string& name) const;  // empty: there is none
  std::optional<std::string> parameter(const std::string& name) const;
};

// The end of the head that `bytes` begin with: behind its empty line. Absent: it has not arrived.
std::optional<size_t> end_of_head(std::string_view bytes);

// Absent: not the head of a request.
std::optional<HttpRequest> parse_http_head(std::string_view head);

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Shared with whoever keeps the same answer for the next reader; null: empty.
  std::shared_ptr<const std::string> body = {};
  bool stream = false;  // the connection stays open, and HttpServer::publish() adds to it
};

HttpResponse text_response(int status, std::string text);

// What is sent before the body. Every connection ends with its response.
std::string head_text(const HttpResponse& response);

}  // namespace lockstep
