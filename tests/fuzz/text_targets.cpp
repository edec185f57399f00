// text_targets.cpp: readers of texts and messages: options, host lists, protocols.
#include <sstream>

#include "app/config_files.h"
#include "app/flag_file.h"
#include "base/error.h"
#include "base/run_event.h"
#include "base/text.h"
#include "comm/all_reduce_spec.h"
#include "comm/store_protocol.h"
#include "engine/conv_choices.h"
#include "external/definition_file.h"
#include "framework/framework_line.h"
#include "fuzz/targets.h"
#include "launch/agent_protocol.h"
#include "launch/hosts.h"
#include "launch/libraries.h"
#include "launch/slurm.h"
#include "launch/tagged_line.h"
#include "measure/cores.h"
#include "nn/description/network_file.h"
#include "report/results/live_state.h"
#include "run/rank/slurm_identity.h"
#include "sim/cluster/cluster_file.h"
#include "sim/validate/published_rows.h"
#include "sweep/sweep_file.h"
#include "sync/server_plan.h"
#include "web/http_message.h"

namespace lockstep {
namespace {

std::string text_in(ByteView bytes) { return std::string(text_of(bytes)); }

void read_agent_lines(ByteView bytes) {
  for (const std::string& line : split(text_of(bytes), '\n')) {
    const AgentLine said = parse_agent_line(line);
    for (const auto& read : {+[](const std::string& text) { from_base64(text); },
                             +[](const std::string& text) { job_in(text); }}) {
      try {
        read(said.kind == "file" ? said.text : line);
      } catch (const Error&) {  // refused: others are other readings
      }
    }
  }
}

void read_store_frames(ByteView bytes) {
  const std::span<const std::byte> body = std::as_bytes(bytes);
  if (const auto request = decode_request(body)) encode(*request);
  if (const auto reply = decode_reply(body)) encode(*reply);
}

void read_tagged_lines(ByteView bytes) {
  for (const std::string& line : split(text_of(bytes), '\n')) {
    for (const LineTag tag : {LineTag::OpenMpi, LineTag::Mpich, LineTag::Slurm, LineTag::None}) {
      tagged_line(tag, line, false);
    }
    parse_event_line(line);
  }
}

void read_slurm_texts(ByteView bytes) {
  const std::string text = text_in(bytes);
  node_address(text);
  parse_batch_news(text);
  first_host(text);
}

void read_ldd_output(ByteView bytes) {
  const std::vector<std::string> lines = split(text_of(bytes), '\n');
  too_old(lines);
  libraries_in(lines);
}

void read_framework_lines(ByteView bytes) {
  for (const std::string& line : split(text_of(bytes), '\n')) parse_framework_line(line);
}

void read_http(ByteView bytes) {
  const auto end = end_of_head(text_of(bytes));
  parse_http_head(text_of(bytes).substr(0, end.value_or(bytes.size())));
}

// As those of the program, for which alone there are many.
const std::vector<CommandSyntax>& commands() {
  const auto flag = [](const char* name, std::vector<std::string> aliases) {
    Flag made;
    made.name = name;
    made.value_name = "N";
    made.aliases = std::move(aliases);
    return made;
  };
  static const std::vector<CommandSyntax> kCommands = {
      {.command = "train",
       .summary = "",
       .flags = {flag("batch-size", {}), flag("num-devices", {"num-gpus"})}},
      {.command = "data pack", .summary = "", .flags = {flag("shards", {})}}};
  return kCommands;
}

void read_published_rows(ByteView bytes) {
  for (const PublishedRow& row : read_published(text_of(bytes), "input")) {
    try {
      scenario_of(row);
    } catch (const Error&) {  // refused: others are other rows
    }
  }
}

constexpr FuzzTarget kTargets[] = {
    {"progress", [](ByteView bytes) { live_state_in(text_of(bytes)); }},
    {"hosts", [](ByteView bytes) { parse_hosts(text_in(bytes), "input"); }},
    {"agent", read_agent_lines},
    {"store", read_store_frames},
    {"tagged_line", read_tagged_lines},
    {"slurm", read_slurm_texts},
    {"ldd", read_ldd_output},
    {"framework_line", read_framework_lines},
    {"http", read_http},
    {"all_reduce_spec", [](ByteView bytes) { parse_all_reduce_spec(text_in(bytes)); }},
    {"cores", [](ByteView bytes) { parse_cores(text_in(bytes)); }},
    {"server_plan", [](ByteView bytes) { plan_from_text(text_in(bytes)); }},
    {"conv_choices", [](ByteView bytes) { conv_choices_from_text(text_of(bytes)); }},
    {"sweep_file", [](ByteView bytes) { sweep_entries_in(text_in(bytes), "input"); }},
    {"cluster_file", [](ByteView bytes) { read_cluster(text_of(bytes), "input"); }},
    {"network_file", [](ByteView bytes) { described_model(text_in(bytes), "input"); }},
    {"configuration", [](ByteView bytes) { defaults_in(text_in(bytes), "input", commands()); }},
    {"flag_file", [](ByteView bytes) { words_of_flags(text_in(bytes), "input"); }},
    {"published", read_published_rows},
    {"program_file", [](ByteView bytes) { read_program(text_of(bytes), "input"); }},
};

}  // namespace

std::span<const FuzzTarget> text_targets() { return kTargets; }

}  // namespace lockstep
