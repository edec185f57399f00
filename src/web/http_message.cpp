#include "web/http_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr std::pair<int, std::string_view> kReasons[] = {
    {200, "OK"},
    {303, "See Other"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

std::optional<int> hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return {};
}

// %41 is A; in a query + is a space. What is no code stays as it is.
std::string decoded(std::string_view text, bool in_query) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool code = text[i] == '%' && i + 2 < text.size();
    const auto high = code ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = code ? hex_digit(text[i + 2]) : std::nullopt;
    if (high && low) {
      result += static_cast<char>(16 * *high + *low);
      i += 2;
    } else {
      result += in_query && text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

void read_target(std::string_view target, HttpRequest& request) {
  const size_t mark = std::min(target.find('?'), target.size());
  request.path = decoded(target.substr(0, mark), /*in_query=*/false);
  if (mark == target.size()) return;
  for (const std::string& pair : split(target.substr(mark + 1), '&')) {
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value =
        equals == pair.size() ? std::string_view() : std::string_view(pair).substr(equals + 1);
    request.query.try_emplace(decoded(pair.substr(0, equals), true), decoded(value, true));
  }
}

bool read_header(std::string_view line, HttpRequest& request) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  request.headers.try_emplace(lower_case(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  return true;
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::optional<std::string> HttpRequest::parameter(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::nullopt : std::optional(found->second);
}

std::optional<size_t> end_of_head(std::string_view bytes) {
  for (size_t at = 0; (at = bytes.find('\n', at)) != std::string_view::npos; ++at) {
    const std::string_view rest = bytes.substr(at + 1);
    if (rest.starts_with('\n')) return at + 2;
    if (rest.starts_with("\r\n")) return at + 3;
  }
  return {};
}

std::optional<HttpRequest> parse_http_head(std::string_view head) {
  HttpRequest request;
  const size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos) return {};
  const std::vector<std::string> words = split(trimmed(head.substr(0, line_end)), ' ');
  if (words.size() != 3 || !words[1].starts_with('/') || !words[2].starts_with("HTTP/1.")) {
    return {};
  }
  request.method = words[0];
  read_target(words[1], request);
  for (head.remove_prefix(line_end + 1); !head.empty();) {
    const size_t end = std::min(head.find('\n'), head.size() - 1);
    const std::string_view line = trimmed(head.substr(0, end));
    head.remove_prefix(end + 1);
    if (line.empty()) break;
    if (!read_header(line, request)) return {};
  }
  return request;
}

HttpResponse text_response(int status, std::string text) {
  return {.status = status, .body = std::make_shared<const std::string>(std::move(text))};
}

std::string head_text(const HttpResponse& response) {
  const auto* reason =
      std::ranges::find_if(kReasons, [&](const auto& row) { return row.first == response.status; });
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Type: {}\r\n", response.status,
                  reason == std::end(kReasons) ? "Unknown" : reason->second, response.type);
  for (const auto& [name, value] : response.headers) text += fmt::format("{}: {}\r\n", name, value);
  if (!response.stream) {
    text += fmt::format("Content-Length: {}\r\n", response.body ? response.body->size() : 0);
  }
  return text + "\r\n";
}

}  // namespace lockstep
