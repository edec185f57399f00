#include "web/page_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "config/json.h"
#include "config/json_text.h"
#include "report/results/results_store.h"
#include "web/page.h"
#include "web/reachable_address.h"
#include "web/sweep_directories.h"

namespace lockstep {
namespace {

constexpr size_t kThreads = 32;
constexpr int kMostStreams = 24;  // each keeps a thread
constexpr std::chrono::milliseconds kLookEvery{500};
constexpr int kLooksPerSignOfLife = 20;

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

std::string event_text(const PageEvent& event) {
  return fmt::format("event: {}\ndata: {}\n\n", event.name, json_text(event.data));
}

}  // namespace

struct PageServer::Inside {
  explicit Inside(const ServeOptions& wish) : options(wish) {}

  void set_up();
  httplib::Server::HandlerResponse admit(const httplib::Request& request,
                                         httplib::Response& response) const;
  bool knows_token(const httplib::Request& request) const;
  std::string cookie_name() const { return fmt::format("lockstep_{}", port); }
  const SweepDirectory* find(const std::vector<SweepDirectory>& sweeps,
                             const std::string& name) const;
  std::string set_text(const SweepDirectory& sweep);
  std::string page();
  bool stream(SweepNews& news, httplib::DataSink& sink);

  ServeOptions options;
  int port = 0;
  httplib::Server server;
  std::jthread listener;

  std::mutex mutex;
  std::condition_variable ended;
  bool ending = false;
  std::atomic<bool> listened = false;  // and will not again
  std::atomic<int> streams = 0;
  // Cached for each state of a directory.
  struct Made {
    std::string version, text;
  };
  std::map<std::string, Made> made;
};

// Full match only: 127.0.0.1.example.org is a name that may resolve to any address.
bool is_this_machine(const std::string& host) {
  in_addr address = {};
  if (inet_pton(AF_INET, host.c_str(), &address) == 1) return ntohl(address.s_addr) >> 24 == 127;
  return host == "localhost" || host == "::1" || host == "[::1]";
}

bool PageServer::Inside::knows_token(const httplib::Request& request) const {
  if (request.has_param("token")) {
    return same_secret(request.get_param_value("token"), options.token);
  }
  const std::string cookies = request.get_header_value("Cookie"), name = cookie_name() + "=";
  const size_t at = cookies.find(name);
  if (at == std::string::npos) return false;
  const size_t begin = at + name.size();
  return same_secret(cookies.substr(begin, cookies.find(';', begin) - begin), options.token);
}

httplib::Server::HandlerResponse PageServer::Inside::admit(const httplib::Request& request,
                                                           httplib::Response& response) const {
  using Next = httplib::Server::HandlerResponse;
  const auto refuse = [&](const char* why) {
    response.status = 403;
    response.set_content(why, "text/plain");
    return Next::Handled;
  };
  if (request.method != "GET" && request.method != "HEAD") {  // before waiting for its body
    response.status = 405;
    response.set_header("Allow", "GET, HEAD");
    response.set_content("only GET and HEAD are supported\n", "text/plain");
    return Next::Handled;
  }
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cache-Control", "no-store");
  if (options.token.empty()) {
    if (is_this_machine(without_port(request.get_header_value("Host")))) return Next::Unhandled;
    return refuse("use the address that 'lockstep serve' printed\n");
  }
  if (!knows_token(request)) {
    return refuse("missing or wrong token; use the full address that 'lockstep serve' printed\n");
  }
  if (!request.has_param("token")) return Next::Unhandled;
  response.set_header("Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/",
                                                cookie_name(), options.token));
  return Next::Unhandled;
}

const SweepDirectory* PageServer::Inside::find(const std::vector<SweepDirectory>& sweeps,
                                               const std::string& name) const {
  const auto found = std::ranges::find(sweeps, name, &SweepDirectory::name);
  return found == sweeps.end() ? nullptr : &*found;
}

std::string PageServer::Inside::set_text(const SweepDirectory& sweep) {
  {
    const std::lock_guard lock(mutex);
    const auto known = made.find(sweep.name);
    if (known != made.end() && known->second.version == sweep.version) return known->second.text;
  }
  std::string text = json_text(page_set(read_sweep(sweep)));
  const std::lock_guard lock(mutex);
  made[sweep.name] = {sweep.version, text};
  return text;
}

// With the most recently written sweep; the reader can add others.
std::string PageServer::Inside::page() {
  Json sets = Json::array();
  const std::vector<SweepDirectory> sweeps = find_sweeps(options.roots);
  if (!sweeps.empty()) sets.push_back(Json::parse(set_text(sweeps.front())));
  return page_html({{"sets", std::move(sets)}, {"published", published_layer()}, {"live", true}});
}

// Runs until the client disconnects or the server stops.
bool PageServer::Inside::stream(SweepNews& news, httplib::DataSink& sink) {
  for (int quiet = 0;; ++quiet) {
    for (const PageEvent& event : news.look()) {
      const std::string text = event_text(event);
      if (!sink.write(text.data(), text.size())) return false;
      quiet = 0;
    }
    constexpr std::string_view kSignOfLife = ":\n\n";
    if (quiet % kLooksPerSignOfLife == kLooksPerSignOfLife - 1 &&
        !sink.write(kSignOfLife.data(), kSignOfLife.size())) {
      return false;
    }
    std::unique_lock lock(mutex);
    if (ended.wait_for(lock, kLookEvery, [&] { return ending; })) return false;
  }
}

void PageServer::Inside::set_up() {
  using httplib::Request, httplib::Response;
  server.new_task_queue = [] { return std::make_unique<httplib::ThreadPool>(kThreads).release(); };
  // By default the library would share a port that is already in use.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_pre_routing_handler(
      [this](const Request& request, Response& response) { return admit(request, response); });
  server.set_exception_handler(
      [](const Request&, Response& response, const std::exception_ptr& failure) {
        response.status = 500;
        try {
          std::rethrow_exception(failure);
        } catch (const std::exception& error) {  // sent to the client
          response.set_content(error.what(), "text/plain");
        }
      });
  server.Get("/", [this](const Request& request, Response& response) {
    if (request.has_param("token")) return response.set_redirect("/", 303);
    response.set_content(page(), "text/html; charset=utf-8");
  });
  const auto for_set = [this](const char* parameter, auto answer) {
    return [this, parameter, answer](const Request& request, Response& response) {
      const std::vector<SweepDirectory> sweeps = find_sweeps(options.roots);
      const SweepDirectory* sweep = find(sweeps, request.get_param_value(parameter));
      if (sweep) return answer(*sweep, response);
      response.status = 404;
      response.set_content("no such sweep\n", "text/plain");
    };
  };
  server.Get("/set", for_set("name", [this](const SweepDirectory& sweep, Response& response) {
               response.set_content(set_text(sweep), "application/json");
             }));
  server.Get("/results.jsonl", for_set("set", [](const SweepDirectory& sweep, Response& response) {
               std::ifstream file(sweep.path + "/" + ResultsStore::kFile);
               std::stringstream text;
               text << file.rdbuf();
               response.set_content(text.str(), "application/x-ndjson");
             }));
  server.Get("/events", [this](const Request&, Response& response) {
    if (++streams > kMostStreams) {
      --streams;
      response.status = 503;
      return;
    }
    auto news = std::make_shared<SweepNews>(options.roots);  // the library copies its callbacks
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, news](size_t, httplib::DataSink& sink) {
          try {
            return stream(*news, sink);
          } catch (
              const std::exception&) {  // the library does not catch it; the browser reconnects
            return false;
          }
        },
        [this](bool) { --streams; });
  });
}

PageServer::PageServer(const ServeOptions& options) : inside_(std::make_unique<Inside>(options)) {
  find_sweeps(options.roots);  // throws for a root that is not a directory
  inside_->set_up();
  httplib::Server& server = inside_->server;
  const bool any = options.port == 0;
  if (any) {
    inside_->port = server.bind_to_any_port(options.host);
  } else if (server.bind_to_port(options.host, options.port)) {
    inside_->port = options.port;
  }
  if (inside_->port <= 0) {
    throw Error("cannot listen on {} port {}: in use, or not an address of this machine",
                options.host, options.port);
  }
  inside_->listener = std::jthread([this, &server] {
    server.listen_after_bind();
    inside_->listened = true;
  });
  // The library ignores a stop before it runs.
  while (!server.is_running() && !inside_->listened) std::this_thread::yield();
}

PageServer::~PageServer() {
  {
    const std::lock_guard lock(inside_->mutex);
    inside_->ending = true;
  }
  inside_->ended.notify_all();
  inside_->server.stop();
  inside_->listener.join();  // after the handlers, which use the other members
}

int PageServer::port() const { return inside_->port; }

std::string PageServer::url() const {
  const std::string host = reachable_address(inside_->options.host);
  const std::string& token = inside_->options.token;
  const bool bare = host.find(':') != std::string::npos && !host.starts_with('[');  // IPv6
  return fmt::format("http://{}:{}/{}", bare ? "[" + host + "]" : host, inside_->port,
                     token.empty() ? "" : "?token=" + token);
}

}  // namespace lockstep
