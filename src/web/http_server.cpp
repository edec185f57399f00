#include "web/http_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/printable.h"
#include "base/text.h"
#include "web/http_connection.h"
#include "web/http_listener.h"

namespace lockstep {
namespace {

using Stage = HttpConnection::Stage;

constexpr Seconds kFarewell{2};  // for the other end to close
constexpr int kTickMilliseconds = 250;

struct Task {
  int64_t connection;
  HttpRequest request;
};
struct Answer {
  int64_t connection;
  HttpResponse response;
};

}  // namespace

class HttpServer::Loop {
 public:
  explicit Loop(Options options)
      : options_(std::move(options)),
        limits_(options_.limits),
        listener_(listen_at(options_.host, options_.port)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_.is_open()) throw Error("cannot create an event descriptor");
    for (int i = 0; i < limits_.threads; ++i) {
      workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
    poller_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~Loop() {
    poller_.request_stop();
    wake();
    poller_.join();
    for (std::jthread& worker : workers_) worker.request_stop();
    asked_.notify_all();
  }

  int port() const { return port_of(listener_); }
  int streams() {
    const std::lock_guard lock(mutex_);
    return streams_;
  }
  void publish(const std::string& news, const std::string& all) {
    const std::lock_guard lock(mutex_);
    published_.push_back({news, all});
    wake();
  }
  void end_streams() {
    const std::lock_guard lock(mutex_);
    streams_end_ = true;
    wake();
  }

 private:
  void wake() const {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_.number(), &one, sizeof one);
  }

  // ---- the threads that compute ----

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (asked_.wait(lock, stop, [&] { return !tasks_.empty(); })) {
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      HttpResponse response = respond(task.request);
      lock.lock();
      answers_.push_back({task.connection, std::move(response)});
      wake();
    }
  }

  HttpResponse respond(const HttpRequest& request) const {
    try {
      return options_.respond(request);
    } catch (const std::exception& error) {  // the top of a thread
      return text_response(500, message_of(error) + "\n");
    }
  }

  // ---- the thread that reads and writes ----

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::vector<pollfd> ready = wait();
      auto entry = ready.begin() + 2;
      for (HttpConnection& each : connections_) serve(each, (entry++)->revents);
      take_answers();
      take_published();
      expire();
      sweep();
      if (ready[1].revents != 0) accept_new();
    }
    connections_.clear();
  }

  std::vector<pollfd> wait() {
    std::vector<pollfd> entries = {{wake_.number(), POLLIN, 0}, {listener_.number(), POLLIN, 0}};
    for (const HttpConnection& each : connections_) {
      entries.push_back({each.socket(), each.events(), 0});
    }
    if (poll(entries.data(), entries.size(), kTickMilliseconds) < 0) {
      for (pollfd& entry : entries) entry.revents = 0;
    }
    uint64_t ignored = 0;
    [[maybe_unused]] const ssize_t drained = read(wake_.number(), &ignored, sizeof ignored);
    return entries;
  }

  void accept_new() {
    for (;;) {
      Accepted accepted = accept_from(listener_);
      if (!accepted.socket.is_open()) {
        // Without a free descriptor the listener would stay ready for ever.
        const bool full = errno == EMFILE || errno == ENFILE;
        if (full && !make_room("")) std::this_thread::sleep_for(Seconds{0.05});
        return sweep();
      }
      const auto& address = accepted.address;
      const auto of_address = std::ranges::count(connections_, address, &HttpConnection::address);
      if (of_address >= limits_.connections_of_address && !make_room(address)) continue;
      if (std::ssize(connections_) >= limits_.connections && !make_room("")) continue;
      sweep();
      connections_.emplace_back(++last_number_, std::move(accepted.socket), address);
    }
  }

  // Ends the oldest idle connection, of an address or of all. False: there is none.
  bool make_room(const std::string& address) {
    const auto oldest = std::ranges::find_if(connections_, [&](const HttpConnection& each) {
      return each.is_open() && each.is_idle() && (address.empty() || each.address == address);
    });
    if (oldest == connections_.end()) return false;
    oldest->close();
    return true;
  }

  void serve(HttpConnection& each, short events) {
    if (!each.is_open() || events == 0) return;
    if (events & (POLLERR | POLLHUP)) return each.close();
    if (events & POLLOUT) return each.send_some();
    if (each.stage() == Stage::Asking) return hear(each);
    if (each.stage() == Stage::Leaving) return each.discard_input();
    each.close();  // a stream that nobody reads any more
  }

  void hear(HttpConnection& each) {
    if (!each.read_some()) return;
    const auto end = end_of_head(each.input());
    if (!end && each.input().size() > limits_.head_bytes) {
      return each.answer(text_response(431, "the request is too long\n"));
    }
    if (!end) return;
    auto request = parse_http_head(std::string_view(each.input()).substr(0, *end));
    if (!request) return each.answer(text_response(400, "not a request of HTTP/1.1\n"));
    const std::lock_guard lock(mutex_);
    if (std::ssize(tasks_) >= limits_.connections) return each.answer(busy());
    each.compute(request->method == "HEAD");
    tasks_.push_back({each.number, *std::move(request)});
    asked_.notify_one();
  }

  static HttpResponse busy() { return text_response(503, "too many readers; try again later\n"); }
  HttpResponse too_large() const {
    return text_response(500, fmt::format("the answer is larger than {}; copy the files instead\n",
                                          bytes_text(static_cast<int64_t>(limits_.waiting_bytes))));
  }

  void take_answers() {
    std::vector<Answer> answers;
    {
      const std::lock_guard lock(mutex_);
      answers.swap(answers_);
    }
    for (const Answer& each : answers) {
      const auto found = std::ranges::find(connections_, each.connection, &HttpConnection::number);
      if (found != connections_.end() && found->is_open()) answer(*found, each.response);
    }
  }

  void answer(HttpConnection& each, const HttpResponse& response) {
    size_t waiting = response.body ? response.body->size() : 0;
    if (waiting > limits_.waiting_bytes) return each.answer(too_large());
    for (const HttpConnection& other : connections_) waiting += other.unsent();
    const bool no_room = response.stream && count_streams() >= limits_.streams;
    if (no_room || waiting > limits_.waiting_bytes) return each.answer(busy());
    each.answer(response);
    if (!each.streams()) return;
    count_streams();
    if (options_.stream_began) options_.stream_began();
  }

  int count_streams() {
    const auto count = std::ranges::count_if(connections_, &HttpConnection::streams);
    const std::lock_guard lock(mutex_);
    return streams_ = static_cast<int>(count);
  }

  void take_published() {
    std::vector<std::pair<std::string, std::string>> texts;
    bool end = false;
    {
      const std::lock_guard lock(mutex_);
      texts.swap(published_);
      end = std::exchange(streams_end_, false);
    }
    for (HttpConnection& each : connections_) {
      for (const auto& [news, all] : texts) {
        if (each.streams()) each.add_to_stream(news, all, limits_.stream_bytes);
      }
      if (end && each.streams()) each.end_stream();
    }
    if (end) count_streams();
  }

  // A request that is being computed, and a stream that is read, may take any time.
  Seconds time_for(const HttpConnection& each) const {
    if (each.stage() == Stage::Asking) return limits_.head_time;
    if (each.stage() == Stage::Leaving) return kFarewell;
    return each.unsent() > 0 ? limits_.response_time : Seconds::max();
  }

  void expire() {
    for (HttpConnection& each : connections_) {
      if (each.in_stage() > time_for(each)) each.close();
    }
  }

  void sweep() {
    const bool some =
        connections_.remove_if([](const HttpConnection& each) { return !each.is_open(); }) > 0;
    if (some) count_streams();
  }

  const Options options_;
  const HttpLimits limits_;
  FileDescriptor listener_, wake_;
  std::list<HttpConnection> connections_;  // oldest first; of the polling thread alone
  int64_t last_number_ = 0;

  std::mutex mutex_;  // of what follows
  std::condition_variable_any asked_;
  std::deque<Task> tasks_;
  std::vector<Answer> answers_;
  std::vector<std::pair<std::string, std::string>> published_;
  bool streams_end_ = false;
  int streams_ = 0;

  std::vector<std::jthread> workers_;
  std::jthread poller_;  // last: they use the rest
};

HttpServer::HttpServer(Options options) : loop_(std::make_unique<Loop>(std::move(options))) {}
HttpServer::~HttpServer() = default;

int HttpServer::port() const { return loop_->port(); }
int HttpServer::streams() const { return loop_->streams(); }
void HttpServer::publish(const std::string& news, const std::string& all) {
  loop_->publish(news, all);
}
void HttpServer::end_streams() { loop_->end_streams(); }

}  // namespace lockstep
