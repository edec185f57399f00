// A server that strangers cannot exhaust: what they try, and that others are served meanwhile.
#include "web/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include "base/file_descriptor.h"

namespace lockstep {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A client that says exactly what a test wants.
class Client {
 public:
  explicit Client(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  // False: the server ended the connection.
  bool say(const std::string& text) const {
    return send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL) == std::ssize(text);
  }
  std::string read_until(const std::string& end) {  // or the end of the connection
    char bytes[4096];
    while (end.empty() || heard_.find(end) == std::string::npos) {
      const ssize_t count = recv(socket_.number(), bytes, sizeof bytes, 0);
      if (count <= 0) break;
      heard_.append(bytes, static_cast<size_t>(count));
    }
    return heard_;
  }
  std::string read_all() { return read_until(""); }

 private:
  FileDescriptor socket_;
  std::string heard_;
};

HttpServer::Options greeting(const HttpLimits& limits = {}) {
  return {.limits = limits, .respond = [](const HttpRequest& request) {
            return text_response(200, "hello " + request.path);
          }};
}

std::string get(const HttpServer& server, const std::string& more_headers = "") {
  Client client(server.port());
  client.say("GET /x HTTP/1.1\r\n" + more_headers + "\r\n");
  return client.read_all();
}

TEST(HttpServer, AnswersARequestThatComesInPieces) {
  const HttpServer server(greeting());
  Client client(server.port());
  for (const char* piece : {"GE", "T /x HT", "TP/1.1\r\nHost: a\r", "\n\r", "\n"}) {
    EXPECT_TRUE(client.say(piece));
  }
  const std::string answer = client.read_all();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, EndsWith("hello /x"));
}

TEST(HttpServer, TheHeadAloneAnswersHead) {
  const HttpServer server(greeting());
  Client client(server.port());
  client.say("HEAD /x HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.read_all(), EndsWith("Content-Length: 8\r\n\r\n"));
}

TEST(HttpServer, AnEndlessRequestLineOrHeaderIsCutOff) {
  const HttpServer server(greeting({.head_bytes = 10'000}));
  for (const char* begin : {"GET /", "GET / HTTP/1.1\r\nHost: "}) {
    Client client(server.port());
    client.say(begin);
    const std::string piece(100'000, 'a');
    int sent = 0;  // the sockets' buffers take some
    while (sent < 1000 && client.say(piece)) ++sent;
    EXPECT_LT(sent, 1000) << "the server reads without end";
  }
  Client patient(server.port());
  patient.say("GET /" + std::string(11'000, 'a'));
  EXPECT_THAT(patient.read_all(), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(get(server), EndsWith("hello /x"));
}

TEST(HttpServer, ManyHeadersAreCutOffToo) {
  const HttpServer server(greeting({.head_bytes = 10'000}));
  std::string headers;
  for (int i = 0; i < 5000; ++i) headers += "a: b\r\n";
  EXPECT_THAT(get(server, headers), ::testing::Not(HasSubstr("hello")));
}

TEST(HttpServer, RangesAreIgnoredSoThatNoneMultipliesTheResponse) {
  const HttpServer server(greeting());
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 2000; ++i) ranges += ",0-";
  const std::string answer = get(server, ranges + "\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nhello /x"));
}

TEST(HttpServer, OtherBytesAreRefused) {
  const HttpServer server(greeting());
  Client client(server.port());
  client.say("\x16\x03\x01\x02\n\n");
  EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 400 "));
}

// More than threads, more than one address may have, more than all may.
TEST(HttpServer, SlowConnectionsBlockNobody) {
  const HttpServer server(
      greeting({.head_time = Seconds{1000}, .connections = 40, .connections_of_address = 20}));
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 60; ++i) {
    slow.push_back(std::make_unique<Client>(server.port()));
    slow.back()->say("GET / HTTP/1.1\r\nHost:");
  }
  for (int i = 0; i < 5; ++i) EXPECT_THAT(get(server), EndsWith("hello /x"));
  EXPECT_EQ(slow.front()->read_all(), "") << "the oldest makes room";
}

TEST(HttpServer, ARequestThatTakesTooLongIsEnded) {
  const HttpServer server(greeting({.head_time = Seconds{0.1}}));
  Client client(server.port());
  client.say("GET / HTTP/1.1\r\nHost:");
  EXPECT_EQ(client.read_all(), "");
}

TEST(HttpServer, ReadersThatDoNotReadBlockNobodyAndTheirMemoryIsBounded) {
  constexpr size_t kBytes = 8 << 20;  // more than a socket takes
  const auto body = std::make_shared<const std::string>(kBytes, 'x');
  const HttpServer server({.limits = {.waiting_bytes = 3 * kBytes, .threads = 1},
                           .respond = [&](const HttpRequest& request) {
                             if (request.path == "/x") return text_response(200, "hello");
                             return HttpResponse{.body = body};
                           }});
  std::vector<std::unique_ptr<Client>> readers;
  for (int i = 0; i < 8; ++i) {
    readers.push_back(std::make_unique<Client>(server.port()));
    readers.back()->say("GET /large HTTP/1.1\r\n\r\n");
  }
  EXPECT_THAT(get(server), EndsWith("hello"));
  int refused = 0;
  for (const auto& each : readers) refused += each->read_all().starts_with("HTTP/1.1 503 ");
  EXPECT_GE(refused, 4);
  EXPECT_LT(refused, 8);
}

TEST(HttpServer, AnAnswerThatNeverFitsIsNotPutOff) {
  const HttpServer server({.limits = {.waiting_bytes = 100}, .respond = [](const HttpRequest&) {
                             return text_response(200, std::string(101, 'x'));
                           }});
  const std::string answer = get(server);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(answer, HasSubstr("larger than 100 B"));
}

TEST(HttpServer, WhatTheHandlerThrowsIsAResponse) {
  const HttpServer server(
      {.respond = [](const HttpRequest&) -> HttpResponse { throw std::runtime_error("broken"); }});
  EXPECT_THAT(get(server), HasSubstr("HTTP/1.1 500 "));
}

TEST(HttpServer, StopsWhileConnectionsOfEveryKindAreOpen) {
  auto server = std::make_unique<HttpServer>(HttpServer::Options{
      .respond = [](const HttpRequest&) { return HttpResponse{.stream = true}; }});
  Client silent(server->port()), half(server->port()), stream(server->port());
  half.say("GET / HT");
  stream.say("GET / HTTP/1.1\r\n\r\n");
  stream.read_until("\r\n\r\n");
  server.reset();
  for (Client* each : {&silent, &half}) EXPECT_EQ(each->read_all(), "");
  EXPECT_THAT(stream.read_all(), EndsWith("\r\n\r\n"));
}

TEST(HttpServer, AStreamBeginsWithEverythingAndContinuesWithNews) {
  HttpServer server({.limits = {.streams = 1},
                     .respond = [](const HttpRequest&) { return HttpResponse{.stream = true}; }});
  Client stream(server.port());
  stream.say("GET / HTTP/1.1\r\n\r\n");
  stream.read_until("\r\n\r\n");
  server.publish("news 1;", "all 1;");
  stream.read_until("all 1;");
  server.publish("news 2;", "all 2;");
  EXPECT_THAT(stream.read_until("2;"), EndsWith("\r\n\r\nall 1;news 2;"));
  EXPECT_THAT(get(server), StartsWith("HTTP/1.1 503 ")) << "one stream more than allowed";
  EXPECT_EQ(server.streams(), 1);
  server.end_streams();
  EXPECT_THAT(stream.read_all(), EndsWith("news 2;"));
}

}  // namespace
}  // namespace lockstep
