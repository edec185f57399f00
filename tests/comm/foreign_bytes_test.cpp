// A stranger connects to a port of Gloo before the other rank does, and sends what no rank sends.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log_line.h"
#include "base/random_token.h"
#include "comm/gloo.h"
#include "comm/store.h"
#include "comm/store_server.h"
#include "support/wait_until.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// A rank of two as a process, which connects to the other. Its words come from its stderr.
struct RankProcess {
  pid_t process = 0;
  FileDescriptor err;
};

[[noreturn]] void be_rank(int rank, const Endpoint& endpoint, const std::string& token) {
  try {
    Store store({endpoint, token, std::to_string(rank), Seconds{60}});
    const Roster roster = {.rank = rank, .members = {{0, "host0"}, {1, "host1"}}};
    make_gloo(roster, {.stall_timeout = Seconds{5}, .interface = "lo"}, store)->barrier();
  } catch (const Error& error) {
    log_line(error.what());
    _exit(EXIT_FAILURE);
  } catch (const std::exception& error) {
    log_line(fmt::format("an internal message: {}", error.what()));
    _exit(EXIT_FAILURE);
  }
  _exit(EXIT_SUCCESS);
}

RankProcess start_rank(int rank, const Endpoint& endpoint, const std::string& token) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDERR_FILENO);
    close_range(3, ~0U, 0);  // the store's port is not a rank's
    be_rank(rank, endpoint, token);
  }
  close(ends[1]);
  return {process, FileDescriptor(ends[0])};
}

std::set<std::string> sockets_of(pid_t process) {
  std::set<std::string> numbers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", process), error)) {
    const std::string target = fs::read_symlink(entry.path(), error).string();
    if (target.starts_with("socket:[")) numbers.insert(target.substr(8, target.size() - 9));
  }
  return numbers;
}

// On which a process listens. A line of the table: number, address:port, peer, state, ..., inode.
std::vector<uint16_t> ports_of(pid_t process) {
  const std::set<std::string> sockets = sockets_of(process);
  std::ifstream table(fmt::format("/proc/{}/net/tcp", process));
  std::vector<uint16_t> ports;
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number, address, peer, state, skipped, inode;
    words >> number >> address >> peer >> state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    words >> inode;
    if (state != "0A" || !sockets.contains(inode)) continue;
    ports.push_back(static_cast<uint16_t>(std::stoul(address.substr(9), nullptr, 16)));
  }
  return ports;
}

FileDescriptor send_bytes_to(uint16_t port, const std::string& bytes) {
  FileDescriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(connection.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  send(connection.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return connection;
}

std::string rest_of(const FileDescriptor& file) {
  std::string text;
  char part[512];
  for (ssize_t count; (count = read(file.number(), part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(count));
  return text;
}

// Which of two ranks connects to the other depends on their ports, so a stranger may have come to
// one that the other rank does not need.
void expect_success_or_a_line(const RankProcess& rank) {
  const std::string words = rest_of(rank.err);
  int status = 0;
  waitpid(rank.process, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << ": " << words;
  if (WEXITSTATUS(status) == EXIT_SUCCESS) return;
  EXPECT_EQ(WEXITSTATUS(status), EXIT_FAILURE);
  EXPECT_THAT(words, ::testing::ContainsRegex("^lockstep: [a-z]+ failed: "));
  EXPECT_THAT(words, ::testing::Not(::testing::HasSubstr("terminate called")));
}

struct Message {
  std::string name, bytes;
};
void PrintTo(const Message& message, std::ostream* out) { *out << message.name; }

class ForeignBytes : public ::testing::TestWithParam<Message> {};

TEST_P(ForeignBytes, EndARankWithALineOrNotAtAll) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "Gloo's threads in forked children are beyond the sanitizer";
#endif
  const std::string token = random_token();
  const StoreServer server({.endpoint = {"127.0.0.1", 0}, .token = token});
  const Endpoint store = {"127.0.0.1", server.port()};
  const RankProcess first = start_rank(0, store, token);
  std::vector<uint16_t> ports;
  ASSERT_TRUE(wait_until([&] {
    ports = ports_of(first.process);
    std::erase(ports, server.port());  // at first a copy of this process has it too
    return !ports.empty();
  }));
  std::vector<FileDescriptor> strangers;  // stay connected
  for (const uint16_t port : ports) strangers.push_back(send_bytes_to(port, GetParam().bytes));
  const RankProcess second = start_rank(1, store, token);
  expect_success_or_a_line(first);
  expect_success_or_a_line(second);
}

const Message kMessages[] = {
    {"nothing", ""},
    {"a_request",
     "GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: scanner\r\nAccept: */*\r\n\r\n"},
    {"ones", std::string(4096, '\xff')},
    {"zeros", std::string(4096, '\0')}};
INSTANTIATE_TEST_SUITE_P(All, ForeignBytes, ::testing::ValuesIn(kMessages),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep
