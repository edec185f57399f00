#include "web/page_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/regular_file.h"
#include "config/json.h"
#include "config/json_text.h"
#include "report/results/results_store.h"
#include "web/http_server.h"
#include "web/page.h"
#include "web/reachable_address.h"
#include "web/sweep_directories.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kLookEvery{500};
constexpr int kLooksPerSignOfLife = 20;
constexpr auto kMostResultBytes = static_cast<int64_t>(HttpLimits{}.waiting_bytes);

using Text = std::shared_ptr<const std::string>;

// Names of answers that are kept.
constexpr const char* kPage = "page";
std::string name_of_set(const SweepDirectory& sweep) { return "set " + sweep.name; }

Text text_of(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

// Constant-time comparison.
bool same_secret(const std::string& given, const std::string& secret) {
  unsigned difference = given.size() != secret.size();
  for (size_t i = 0; i < secret.size(); ++i) {
    const char other = given.empty() ? 0 : given[i % given.size()];
    difference |= static_cast<unsigned char>(secret[i] ^ other);
  }
  return difference == 0;
}

std::string without_port(const std::string& host) {
  const size_t end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  return host.substr(0, end);
}

std::string events_text(const std::vector<PageEvent>& events) {
  std::string text;
  for (const PageEvent& event : events) {
    text += fmt::format("event: {}\ndata: {}\n\n", event.name, json_text(event.data));
  }
  return text;
}

}  // namespace

struct PageServer::Inside {
  explicit Inside(const ServeOptions& wish);

  HttpResponse respond(const HttpRequest& request);
  std::optional<HttpResponse> refusal(const HttpRequest& request) const;
  bool knows_token(const HttpRequest& request) const;
  std::string cookie_name() const { return fmt::format("lockstep_{}", port.load()); }
  HttpResponse content(const HttpRequest& request);
  HttpResponse of_set(const HttpRequest& request, const char* parameter,
                      Text (Inside::*answer)(const SweepDirectory&));
  Text set_text(const SweepDirectory& sweep);
  Text results_text(const SweepDirectory& sweep);
  Text page();
  std::vector<SweepDirectory> sweeps();
  Text cached(const std::string& name, const std::string& version,
              const std::function<std::string()>& make);
  void tell_news(const std::stop_token& stop);

  const ServeOptions options;
  std::atomic<int> port = 0;

  std::mutex mutex;  // of what follows
  std::condition_variable_any began;
  bool stream_began = false;
  struct Made {
    std::string version;
    Text text;
  };
  std::map<std::string, Made> made;  // for each state of a directory

  std::optional<HttpServer> server;
  std::jthread news;  // last: uses the rest
};

// Full match only: 127.0.0.1.example.org is a name that may resolve to any address.
bool is_this_machine(const std::string& host) {
  in_addr address = {};
  if (inet_pton(AF_INET, host.c_str(), &address) == 1) return ntohl(address.s_addr) >> 24 == 127;
  return host == "localhost" || host == "::1" || host == "[::1]";
}

PageServer::Inside::Inside(const ServeOptions& wish) : options(wish) {
  find_sweeps(options.roots);  // throws for a root that is not a directory
  // A request may come before `server` is set, so handlers use only the other members.
  server.emplace(HttpServer::Options{.host = options.host,
                                     .port = options.port,
                                     .respond = [this](const auto& it) { return respond(it); },
                                     .stream_began =
                                         [this] {
                                           const std::lock_guard lock(mutex);
                                           stream_began = true;
                                           began.notify_one();
                                         }});
  port = server->port();
  news = std::jthread([this](const std::stop_token& stop) { tell_news(stop); });
}

bool PageServer::Inside::knows_token(const HttpRequest& request) const {
  if (const auto given = request.parameter("token")) return same_secret(*given, options.token);
  const std::string cookies = request.header("cookie"), name = cookie_name() + "=";
  const size_t at = cookies.find(name);
  if (at == std::string::npos) return false;
  const size_t begin = at + name.size();
  return same_secret(cookies.substr(begin, cookies.find(';', begin) - begin), options.token);
}

std::optional<HttpResponse> PageServer::Inside::refusal(const HttpRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse response = text_response(405, "only GET and HEAD are supported\n");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (options.token.empty()) {
    if (is_this_machine(without_port(request.header("host")))) return {};
    return text_response(403, "use the address that 'lockstep serve' printed\n");
  }
  if (knows_token(request)) return {};
  return text_response(
      403, "missing or wrong token; use the full address that 'lockstep serve' printed\n");
}

HttpResponse PageServer::Inside::respond(const HttpRequest& request) {
  const auto refused = refusal(request);
  HttpResponse response = refused ? *refused : content(request);
  response.headers.insert(response.headers.end(), {{"X-Content-Type-Options", "nosniff"},
                                                   {"Referrer-Policy", "no-referrer"},
                                                   {"Cache-Control", "no-store"}});
  if (!refused && !options.token.empty() && request.parameter("token")) {
    response.headers.emplace_back(
        "Set-Cookie",
        fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_name(), options.token));
  }
  return response;
}

HttpResponse PageServer::Inside::content(const HttpRequest& request) {
  if (request.path == "/") {
    // The token leaves the address.
    if (request.parameter("token")) return {.status = 303, .headers = {{"Location", "/"}}};
    return {.type = "text/html; charset=utf-8", .body = page()};
  }
  if (request.path == "/set") {
    HttpResponse response = of_set(request, "name", &Inside::set_text);
    if (response.status == 200) response.type = "application/json";
    return response;
  }
  if (request.path == "/results.jsonl") {
    HttpResponse response = of_set(request, "set", &Inside::results_text);
    if (response.status == 200) response.type = "application/x-ndjson";
    return response;
  }
  if (request.path == "/events") return {.type = "text/event-stream", .stream = true};
  return text_response(404, "no such page\n");
}

HttpResponse PageServer::Inside::of_set(const HttpRequest& request, const char* parameter,
                                        Text (Inside::*answer)(const SweepDirectory&)) {
  const std::vector<SweepDirectory> all = sweeps();
  const auto found =
      std::ranges::find(all, request.parameter(parameter).value_or(""), &SweepDirectory::name);
  if (found == all.end()) return text_response(404, "no such sweep\n");
  return {.body = (this->*answer)(*found)};
}

// What was made of directories that are gone is forgotten.
std::vector<SweepDirectory> PageServer::Inside::sweeps() {
  std::vector<SweepDirectory> all = find_sweeps(options.roots);
  std::set<std::string> names = {kPage};
  for (const SweepDirectory& sweep : all) names.insert(name_of_set(sweep));
  const std::lock_guard lock(mutex);
  std::erase_if(made, [&](const auto& each) { return !names.contains(each.first); });
  return all;
}

Text PageServer::Inside::cached(const std::string& name, const std::string& version,
                                const std::function<std::string()>& make) {
  {
    const std::lock_guard lock(mutex);
    const auto known = made.find(name);
    if (known != made.end() && known->second.version == version) return known->second.text;
  }
  const Text text = text_of(make());
  const std::lock_guard lock(mutex);
  made[name] = {version, text};
  return text;
}

Text PageServer::Inside::set_text(const SweepDirectory& sweep) {
  return cached(name_of_set(sweep), sweep.version,
                [&] { return json_text(page_set(read_sweep(sweep))); });
}

Text PageServer::Inside::results_text(const SweepDirectory& sweep) {
  const std::string path = sweep.path + "/" + ResultsStore::kFile;
  return text_of(read_regular_file(path, {.most_bytes = kMostResultBytes, .links = false}));
}

// With the most recently written sweep; the reader can add others.
Text PageServer::Inside::page() {
  const std::vector<SweepDirectory> all = sweeps();
  const std::string version = all.empty() ? "" : all[0].name + " " + all[0].version;
  return cached(kPage, version, [&] {
    Json sets = Json::array();
    if (!all.empty()) sets.push_back(json_in(*set_text(all.front())));
    return page_html({{"sets", std::move(sets)}, {"published", published_layer()}, {"live", true}});
  });
}

// One look at the directories serves all readers.
void PageServer::Inside::tell_news(const std::stop_token& stop) {
  std::optional<SweepNews> seen;
  for (int quiet = 0; !stop.stop_requested();) {
    {
      std::unique_lock lock(mutex);
      began.wait_for(lock, stop, kLookEvery, [&] { return stream_began; });
      stream_began = false;
    }
    if (server->streams() == 0) {
      seen.reset();
      continue;
    }
    try {
      if (!seen) seen.emplace(options.roots);
      std::string text = events_text(seen->look());
      quiet = text.empty() ? quiet + 1 : 0;
      if (quiet >= kLooksPerSignOfLife) text = ":\n\n", quiet = 0;
      server->publish(text, events_text(seen->everything()));
    } catch (const std::exception&) {  // the top of a thread; browsers connect again
      seen.reset();
      server->end_streams();
    }
  }
}

PageServer::PageServer(const ServeOptions& options) : inside_(std::make_unique<Inside>(options)) {}
PageServer::~PageServer() = default;

int PageServer::port() const { return inside_->port; }

std::string PageServer::url() const {
  const std::string host = reachable_address(inside_->options.host);
  const std::string& token = inside_->options.token;
  const bool bare = host.find(':') != std::string::npos && !host.starts_with('[');  // IPv6
  return fmt::format("http://{}:{}/{}", bare ? "[" + host + "]" : host, inside_->port.load(),
                     token.empty() ? "" : "?token=" + token);
}

}  // namespace lockstep
