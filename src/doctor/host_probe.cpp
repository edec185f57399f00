#include "doctor/host_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "base/version.h"
#include "comm/own_address.h"
#include "config/json.h"
#include "config/json_text.h"
#include "doctor/gpu_facts.h"
#include "doctor/link_probe.h"
#include "doctor/nccl_probe.h"
#include "framework/python.h"
#include "launch/agent_protocol.h"
#include "launch/deploy.h"
#include "measure/compute_probe.h"
#include "measure/gpu.h"
#include "measure/host.h"
#include "process/ask.h"

namespace lockstep {
namespace {

constexpr Seconds kForVersions{10};
constexpr Seconds kToSeeSteal{0.3};

// Empty: not installed.
Json version_of(const char* program) {
  const CommandAnswer answer = ask({program, "--version"}, kForVersions);
  Json json = Json::object();
  if (answer.well && !answer.lines.empty()) json["version"] = answer.lines.front();
  if (answer.found && !answer.well) json["complaint"] = answer.complaint;
  return json;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// The nearest existing parent directory.
int64_t free_disk_bytes(std::filesystem::path directory) {
  std::error_code unknown;
  directory = std::filesystem::absolute(directory, unknown);
  while (!std::filesystem::exists(directory, unknown) && directory.has_relative_path()) {
    directory = directory.parent_path();
  }
  const auto space = std::filesystem::space(directory, unknown);
  return unknown ? -1 : static_cast<int64_t>(space.available);
}

// Of `all`, as many as CUDA_VISIBLE_DEVICES leaves.
int usable_gpus(int all, const Environment& environment) {
  const auto visible = environment("CUDA_VISIBLE_DEVICES");
  if (!visible) return all;
  const std::vector<std::string> names = split(*visible, ',');
  const auto end = std::ranges::find_if(names, [](const std::string& name) {
    return name.empty() || name.starts_with('-');  // CUDA ends its list there
  });
  return std::min(all, static_cast<int>(end - names.begin()));
}

struct Probe {
  const Context& context;
  std::optional<EchoServer> echo = {};

  Json facts(const Json& arguments) {
    Json facts = cheap_facts(context, arguments.value("directory", std::string(".")));
    if (arguments.contains("name"))
      facts["way_to_itself"] = way_to(arguments.at("name").get<std::string>());
    return facts;
  }

  Json time(const Json&) const {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return {{"seconds", Seconds(now).count()}};
  }

  Json listen(const Json& arguments) {
    echo.emplace(arguments.at("token").get<std::string>());
    return {{"port", echo->port()}};
  }

  Json pair(const Json& arguments) const {
    const LinkSpeed speed =
        measure_link({.host = arguments.at("host"), .port = arguments.at("port")},
                     arguments.at("token").get<std::string>());
    return {{"latency_seconds", speed.latency.count()},
            {"bytes_per_second", speed.bytes_per_second},
            {"interface", speed.interface}};
  }

  Json compute(const Json&) const {
    const auto before = read_cpu_ticks();
    const double flops = compute_flops(read_host().usable_threads, kToSeeSteal);
    return {{"flops", flops}, {"stolen", or_null(stolen_fraction(before, read_cpu_ticks()))}};
  }

  Json frameworks(const Json& arguments) const {
    const auto python = arguments.at("python").get<std::vector<std::string>>();
    Json found = Json::array();
    for (const std::string& name : arguments.at("names").get<std::vector<std::string>>()) {
      const Framework& framework = *find_framework(name).framework;
      found.push_back(survey_json(
          framework, survey(framework, python_for(framework, python, context.environment))));
    }
    return found;
  }

  // Null: there are not two of them.
  Json nccl(const Json&) const {
    const std::unique_ptr<GpuLibrary> gpus = open_gpus();
    const int usable = gpus ? usable_gpus(gpus->count(), context.environment) : 0;
    if (usable < 2) return nullptr;
    const auto beside = std::filesystem::path(context.program).parent_path() / "lockstep-torch";
    return nccl_facts(beside.string(), usable);
  }

  Json programs(const Json&) const {
    return {{"mpirun", version_of("mpirun")}, {"srun", version_of("srun")}};
  }
};

struct Question {
  std::string_view name;
  Json (*answer)(Probe& probe, const Json& arguments);
};
constexpr Question kQuestions[] = {
    {"facts", [](Probe& probe, const Json& arguments) { return probe.facts(arguments); }},
    {"time", [](Probe& probe, const Json& arguments) { return probe.time(arguments); }},
    {"listen", [](Probe& probe, const Json& arguments) { return probe.listen(arguments); }},
    {"pair", [](Probe& probe, const Json& arguments) { return probe.pair(arguments); }},
    {"compute", [](Probe& probe, const Json& arguments) { return probe.compute(arguments); }},
    {"programs", [](Probe& probe, const Json& arguments) { return probe.programs(arguments); }},
    {"frameworks", [](Probe& probe, const Json& arguments) { return probe.frameworks(arguments); }},
    {"nccl", [](Probe& probe, const Json& arguments) { return probe.nccl(arguments); }},
};

Json answer_to(Probe& probe, const AgentLine& line) {
  try {
    for (const Question& question : kQuestions) {
      if (question.name == line.name) return question.answer(probe, json_in(line.text));
    }
    return {{"error", "unknown question; install the same version of lockstep"}};
  } catch (const std::exception& error) {  // is an answer too
    return {{"error", error.what()}};
  }
}

}  // namespace

Json cheap_facts(const Context& context, const std::string& directory) {
  const HostInfo host = read_host();
  return {{"host", host.name},
          {"node", context.environment("SLURMD_NODENAME").value_or(host.name)},
          {"version", program_version()},
          {"program", directory_name(context.program)},
          {"kernel", or_null(host.kernel)},
          {"cpu_model", or_null(host.cpu_model)},
          {"microcode", or_null(host.microcode)},
          {"isa", host.isa},
          {"cores", or_null(host.cores)},
          {"usable_threads", host.usable_threads},
          {"memory_bytes", or_null(host.memory_bytes)},
          {"available_memory_bytes", or_null(host.available_memory_bytes)},
          {"disk_free_bytes", free_disk_bytes(directory)},
          {"governor", or_null(host.governor)},
          {"transparent_huge_pages", or_null(host.transparent_huge_pages)},
          {"load", or_null(host.load)},
          {"cgroup_cpus", or_null(host.cgroup_cpus)},
          {"interfaces", interface_facts()},
          {"gpus", gpu_facts()}};
}

int answer_questions(const Context& context, const std::string& index,
                     const std::function<std::string()>& next_line) {
  const std::string own = index == "-" ? context.environment("SLURM_PROCID").value_or("0") : index;
  Probe probe = {.context = context};
  for (;;) {
    std::string text;
    try {
      text = next_line();
    } catch (const Error&) {  // the doctor has no more questions
      return kSuccess;
    }
    const AgentLine line = parse_agent_line(text);  // INDEX QUESTION JSON
    if (line.kind != own) continue;
    context.out << "answer " << line.name << " " << json_text(answer_to(probe, line)) << "\n"
                << std::flush;
  }
}

}  // namespace lockstep
