// http_connection.h: one connection of the HTTP server, from its request to its end. Never blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file_descriptor.h"
#include "base/time.h"
#include "web/http_message.h"

namespace lockstep {

class HttpConnection {
 public:
  enum class Stage {
    Asking,     // its request has not arrived
    Computing,  // in another thread
    Reading,    // the response
    Streaming,
    Leaving,  // all is sent
  };

  HttpConnection(int64_t its_number, FileDescriptor its_socket, std::string its_address)
      : number(its_number), address(std::move(its_address)), socket_(std::move(its_socket)) {}

  const int64_t number;
  const std::string address;

  Stage stage() const { return stage_; }
  bool is_open() const { return socket_.is_open(); }
  bool streams() const { return is_open() && stage_ == Stage::Streaming; }
  // It has no claim to its place: nothing was asked, or all is answered.
  bool is_idle() const { return stage_ == Stage::Asking || stage_ == Stage::Leaving; }
  Seconds in_stage() const { return seconds_since(since_); }  // a stream: since it read anything
  size_t unsent() const { return head_.size() + (body_ ? body_->size() : 0) - sent_; }
  int socket() const { return socket_.number(); }
  short events() const;  // for poll()
  void close() { socket_.reset(); }

  const std::string& input() const { return input_; }
  bool read_some();  // false: nothing new
  void discard_input();
  void compute(bool head_only);  // the request is complete
  void answer(const HttpResponse& response);
  void add_to_stream(const std::string& news, const std::string& all, size_t most);
  void end_stream();
  void send_some();

 private:
  void enter(Stage stage);
  void leave();

  FileDescriptor socket_;
  Stage stage_ = Stage::Asking;
  TimePoint since_ = Clock::now();
  bool head_only_ = false;
  bool greeted_ = false;  // a stream that had its first text
  std::string input_, head_;
  std::shared_ptr<const std::string> body_;
  size_t sent_ = 0;  // of head and body
  size_t discarded_ = 0;
};

}  // namespace lockstep
