#include "web/http_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace lockstep {
namespace {

constexpr size_t kMostDiscarded = 1 << 20;  // a body that its sender will not stop sending

bool is_temporary(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

short HttpConnection::events() const {
  short events = unsent() > 0 ? POLLOUT : 0;
  if (is_idle()) events |= POLLIN;
  if (stage_ == Stage::Streaming) events |= POLLRDHUP;
  return events;
}

bool HttpConnection::read_some() {
  char bytes[4096];
  const ssize_t count = recv(socket(), bytes, sizeof bytes, 0);
  if (count > 0) input_.append(bytes, static_cast<size_t>(count));
  if (count == 0 || (count < 0 && !is_temporary(errno))) close();
  return count > 0;
}

void HttpConnection::discard_input() {
  read_some();
  discarded_ += input_.size();
  input_.clear();
  if (discarded_ > kMostDiscarded) close();
}

void HttpConnection::compute(bool head_only) {
  head_only_ = head_only;
  input_ = {};
  enter(Stage::Computing);
}

void HttpConnection::answer(const HttpResponse& response) {
  input_ = {};
  head_ = head_text(response);
  body_ = head_only_ ? nullptr : response.body;
  enter(response.stream && !head_only_ ? Stage::Streaming : Stage::Reading);
  send_some();
}

void HttpConnection::add_to_stream(const std::string& news, const std::string& all, size_t most) {
  const std::string& text = std::exchange(greeted_, true) ? news : all;
  if (text.empty()) return;
  if (unsent() == 0) {
    head_.clear();
    body_.reset();
    sent_ = 0;
    since_ = Clock::now();
  }
  if (unsent() + text.size() > most) return close();
  head_ += text;
  send_some();
}

void HttpConnection::end_stream() {
  if (unsent() == 0) return leave();
  enter(Stage::Reading);
}

void HttpConnection::send_some() {
  while (unsent() > 0) {
    const bool of_head = sent_ < head_.size();
    const std::string& text = of_head ? head_ : *body_;
    const size_t at = of_head ? sent_ : sent_ - head_.size();
    const ssize_t count = send(socket(), text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (count < 0 && is_temporary(errno)) return;
    if (count < 0) return close();
    sent_ += static_cast<size_t>(count);
    if (stage_ == Stage::Streaming) since_ = Clock::now();
  }
  if (stage_ == Stage::Reading) leave();
}

void HttpConnection::enter(Stage stage) {
  stage_ = stage;
  since_ = Clock::now();
}

// The other end closes when it has read everything. If we did, its unread input would make the
// kernel discard what is still on its way.
void HttpConnection::leave() {
  head_.clear();
  body_.reset();
  sent_ = 0;
  shutdown(socket(), SHUT_WR);
  enter(Stage::Leaving);
}

}  // namespace lockstep
