// serve.cpp: `lockstep serve`: serves a web page of running and finished sweeps.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <thread>

#include "app/command_line.h"
#include "app/flags.h"
#include "app/program.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/random_token.h"
#include "web/page_server.h"

namespace lockstep {
namespace {

constexpr int kPort = 8050;
constexpr std::chrono::milliseconds kAskEvery{100};

CommandSyntax syntax_for(ServeOptions& options) {
  return {
      .command = "serve",
      .summary = "Shows running and finished sweeps in the browser, side by side.",
      .flags = {text_flag(
                    {"host", "ADDRESS",
                     "address to listen on; readers need the token unless it is a loopback address",
                     &options.host}),
                number_flag(
                    {"port", "port to listen on; 0: any free port", &options.port, {0, 65535}}),
                text_flag({"token", "TEXT", "token that readers need [random, if one is needed]",
                           &options.token})},
      .positional =
          Positional{.name = "DIR",
                     .help = "directories of 'lockstep sweep', or directories of those",
                     .set = [&](const std::string& text) { options.roots.push_back(text); },
                     .many = true}};
}

// The token is part of a URL.
bool is_plain(const std::string& token) {
  return std::ranges::all_of(token, [](unsigned char letter) {
    return std::isalnum(letter) || letter == '-' || letter == '_';
  });
}

}  // namespace

int serve_command(RunContext& context, std::span<const std::string> arguments) {
  ServeOptions options;
  options.port = kPort;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  if (options.roots.empty()) throw UsageError("serve needs a directory of 'lockstep sweep'");
  if (!is_plain(options.token)) {
    throw UsageError("--token: invalid character; use letters, digits, - and _");
  }
  if (options.token.empty() && !is_this_machine(options.host)) options.token = random_token();
  const InterruptWatch interrupts;
  const PageServer server(options);
  context.out << server.url() << "\n" << std::flush;
  context.err << "open the address above in a browser; Ctrl-C stops the server\n" << std::flush;
  while (!interrupts.interrupted()) std::this_thread::sleep_for(kAskEvery);
  return kSuccess;
}

}  // namespace lockstep
