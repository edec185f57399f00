// serve.cpp: `lockstep serve`: sweeps as a page in the browser, while they run and afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <thread>

#include "base/interrupt.h"
#include "app/options.h"
#include "app/program.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/store_server.h"
#include "web/page_server.h"

namespace lockstep {
namespace {

constexpr int kPort = 8050;
constexpr std::chrono::milliseconds kAskEvery{100};

CommandSyntax syntax_for(ServeOptions& wishes) {
  const auto port = [&](const std::string& text) {
    const auto number = whole_number(text);
    if (!number || *number < 0 || *number > 65535) {
      throw UsageError("--port must be a number from 0 to 65535, not '{}'", text);
    }
    wishes.port = static_cast<int>(*number);
  };
  const auto text_to = [](std::string& target) {
    return [&target](const std::string& text) { target = text; };
  };
  return {.command = "serve",
          .summary = "Shows sweeps in the browser, while they run and side by side.",
          .flags = {{.name = "host",
                     .value_name = "ADDRESS",
                     .help = "to listen on; other than a loopback address, readers need the token",
                     .set = text_to(wishes.host),
                     .default_text = "127.0.0.1"},
                    {.name = "port",
                     .value_name = "N",
                     .help = "to listen on; 0: any that is free",
                     .set = port,
                     .default_text = fmt::to_string(kPort)},
                    {.name = "token",
                     .value_name = "TEXT",
                     .help = "what readers need; by default a random one where one is needed",
                     .set = text_to(wishes.token)}},
          .positional =
              Positional{.name = "DIR",
                         .help = "directories of 'lockstep sweep', or directories of those",
                         .set = [&](const std::string& text) { wishes.roots.push_back(text); },
                         .many = true}};
}

// It is part of an address.
bool is_plain(const std::string& token) {
  return std::ranges::all_of(token, [](unsigned char letter) {
    return std::isalnum(letter) || letter == '-' || letter == '_';
  });
}

}  // namespace

int serve_command(RunContext& context, std::span<const std::string> arguments) {
  ServeOptions wishes;
  wishes.port = kPort;
  const CommandSyntax syntax = syntax_for(wishes);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  if (wishes.roots.empty()) throw UsageError("serve needs a directory of 'lockstep sweep'");
  if (!is_plain(wishes.token)) {
    throw UsageError("--token may hold letters, digits, - and _ only");
  }
  if (wishes.token.empty() && !is_this_machine(wishes.host)) wishes.token = random_token();
  const InterruptWatch interrupts;
  const PageServer server(wishes);
  context.out << server.url() << "\n" << std::flush;
  context.err << "open the address above in a browser; Ctrl-C ends it\n" << std::flush;
  while (!interrupts.interrupted()) std::this_thread::sleep_for(kAskEvery);
  return kSuccess;
}

}  // namespace lockstep
