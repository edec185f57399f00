#include "selftest/self_test.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/host_name.h"
#include "comm/gather.h"
#include "comm/nccl/nccl_communicator.h"
#include "config/json_text.h"
#include "doctor/host_probe.h"
#include "measure/host.h"
#include "measure/memory_probe.h"
#include "process/ask.h"
#include "run/peer_text.h"
#include "run/rank/agreed_device.h"
#include "run/rank/format_check.h"
#include "selftest/collective_test.h"
#include "selftest/compare_hosts.h"
#include "selftest/operation_test.h"

namespace lockstep {
namespace {

constexpr Seconds kForAPart{300};
constexpr int64_t kMemoryPerCore = int64_t{48} << 20;
constexpr const char* kMemoryCheck = "memory bandwidth";

std::string engine_name(const EngineKind& engine, const std::string& part) {
  return part == kWholePart ? std::string(engine.name) : part;
}

// Of a GPU its number formats, the one that networks are tested in last.
std::vector<std::string> parts_of(const EngineKind& engine, const std::string& device) {
  if (device.starts_with("cuda")) return {"tf32", "fp16", "bf16", "f32"};
  if (device != "cpu") return {"fp16", "bf16", "f32"};
  if (!engine.simd_targets) return {kWholePart};
  return engine.simd_targets();
}

// One rank's share of the work.
class OwnTests {
 public:
  OwnTests(const RunContext& context, const SelfTestOptions& options, Group& group)
      : context_(context),
        options_(options),
        group_(group),
        engine_(find_engine(context.engines, options.run.engine)),
        gpus_(options.run.device == "cpu" ? nullptr : open_gpus()),
        gpu_(own_device()),
        device_(gpu_.device),
        cores_(allowed_cores()),
        host_(host_name()) {}

  std::vector<TestRow> run() {
    std::vector<TestRow> rows;
    const bool leads = group_.leads_its_cores();
    if (device_ != "cpu" || leads) {
      for (const std::string& part : parts_of(engine_, device_)) {
        if (const auto skipped = without_format(part)) {
          rows.push_back(*skipped);
          continue;
        }
        std::ranges::move(rows_of(part), std::back_inserter(rows));
      }
    }
    add_copies(rows);
    group_.control().barrier();  // all cores of a host at once
    if (leads) add_memory(rows);
    return rows;
  }

  // Between GPUs.
  bool wants_nccl() const { return device_ != "cpu" && engine_.device_buffer; }
  TestRow test_nccl(const Fault& fault) {
    const auto make = [&](int64_t floats) { return engine_.device_buffer(device_, floats); };
    return lockstep::test_nccl(group_, make, fault);
  }

 private:
  RankDevice own_device() {
    return agreed_device(options_.run, group_, gpus_.get(), &engine_, context_.environment);
  }

  // Of a number format; absent: the GPU computes in it.
  std::optional<TestRow> without_format(const std::string& part) const {
    if (device_ == "cpu") return {};
    const std::string obstacle =
        format_obstacle(dtype_named(part), device_, gpus_.get(), gpu_.library_index);
    if (obstacle.empty()) return {};
    return TestRow{.check = "operations " + part,
                   .host = host_,
                   .where = device_,
                   .result = TestResult::Skipped,
                   .what = obstacle};
  }

  std::vector<TestRow> rows_of(const std::string& part) {
    const std::vector<std::string> words = {context_.program,
                                            "selftest",
                                            "--part=" + part,
                                            "--part-cores=" + core_text(cores_),
                                            fmt::format("--engine={}", engine_.name),
                                            "--device=" + device_,
                                            fmt::format("--passes={}", options_.passes),
                                            "--inject-fault=" + options_.fault};
    const CommandAnswer answer = ask(words, kForAPart);
    const Json rows = answer.well && !answer.lines.empty()
                          ? Json::parse(answer.lines.back(), nullptr, /*allow_exceptions=*/false)
                          : Json();
    if (rows.is_array()) return rows_from_json(rows);
    return {{.check = "operations " + engine_name(engine_, part),
             .host = host_,
             .where = device_ == "cpu" ? "cores " + core_text(cores_) : device_,
             .result = TestResult::Fail,
             .what = "the test process failed: " + answer.complaint}};
  }

  void add_copies(std::vector<TestRow>& rows) const {
    if (device_ == "cpu") return;
    if (!engine_.copy_speeds) {
      rows.push_back({.check = "host to device",
                      .host = host_,
                      .where = device_,
                      .result = TestResult::Skipped,
                      .what = fmt::format("--engine {} does not measure it", engine_.name)});
      return;
    }
    for (const CopySpeed& speed : engine_.copy_speeds(device_)) {
      rows.push_back({.check = speed.what,
                      .host = host_,
                      .where = device_,
                      .result = TestResult::Info,
                      .what = fmt::format("{:.2f} GB/s", speed.bytes_per_second / 1e9),
                      .bytes_per_second = speed.bytes_per_second});
    }
  }

  void add_memory(std::vector<TestRow>& rows) const {
    const int64_t free = available_memory_bytes().value_or(int64_t{8} << 30);
    const int64_t share = free / 4 / std::max(group_.cores_here(), 1);
    const MemorySpeed speed = measure_memory(cores_, std::min(kMemoryPerCore, share));
    rows.push_back({.check = kMemoryCheck,
                    .host = host_,
                    .where = "cores " + core_text(cores_),
                    .result = speed.right ? TestResult::Info : TestResult::Fail,
                    .what = speed.right ? "" : "wrong sums",
                    .bytes_per_second = speed.bytes_per_second});
  }

  const RunContext& context_;
  const SelfTestOptions& options_;
  Group& group_;
  const EngineKind& engine_;
  std::unique_ptr<GpuLibrary> gpus_;  // null: there is none for them
  RankDevice gpu_;
  std::string device_;
  CoreSet cores_;
  std::string host_;
};

// The ranks of a host measured its memory together: one row, with the sum.
std::vector<TestRow> joined_memory(std::vector<TestRow> rows) {
  std::vector<TestRow> joined;
  for (TestRow& row : rows) {
    const auto same = std::ranges::find_if(joined, [&](const TestRow& other) {
      return row.check == kMemoryCheck && other.check == kMemoryCheck && other.host == row.host;
    });
    if (same == joined.end()) {
      joined.push_back(std::move(row));
      continue;
    }
    same->bytes_per_second += row.bytes_per_second;
    same->where += row.where.substr(row.where.find(' ')).replace(0, 1, ",");
    if (row.result == TestResult::Fail) same->result = TestResult::Fail;
  }
  for (TestRow& row : joined) {
    if (row.check != kMemoryCheck) continue;
    row.what += fmt::format("{}{:.1f} GB/s (triad)", row.what.empty() ? "" : "; ",
                            row.bytes_per_second / 1e9);
  }
  return joined;
}

// The ranks decide together: one without NCCL would leave the others waiting.
TestRow nccl_row(OwnTests& own, Group& group, const Fault& fault) {
  const std::string host = host_name();
  std::string without;
  for (const std::string& text : all_gather(group.control(), has_nccl() ? "" : host)) {
    if (without.empty()) without = text;
  }
  if (without.empty()) return own.test_nccl(fault);
  return {.check = "all-reduce nccl",
          .host = host,
          .where = fmt::format("{} ranks", group.control().size()),
          .result = TestResult::Skipped,
          .what = "NCCL is not found on host " + without};
}

void add_findings(const Json& theirs, SelfTestReport& report) {
  std::ranges::move(rows_from_json(theirs.at("rows")), std::back_inserter(report.rows));
  if (!theirs.contains("facts")) return;
  report.hosts[theirs.at("facts").value("host", "")] = theirs.at("facts");
}

}  // namespace

std::vector<TestRow> test_part(const RunContext& context, const SelfTestOptions& options) {
  const EngineKind& engine = find_engine(context.engines, options.run.engine);
  const bool last = options.part == parts_of(engine, options.run.device).back();
  const bool on_cpu = options.run.device == "cpu";
  if (engine.be_deterministic) engine.be_deterministic();
  if (on_cpu && engine.limit_simd && options.part != kWholePart) engine.limit_simd(options.part);
  const OperationTest test = {
      .make = engine.make,
      .device = options.run.device,
      .dtype = on_cpu ? Dtype::F32 : dtype_named(options.part),
      .cores = options.part_cores.empty() ? allowed_cores() : options.part_cores,
      .passes = options.passes,
      .host = host_name(),
      .fault = parse_fault(options.fault)};
  const std::string name = engine_name(engine, options.part);
  std::vector<TestRow> rows = {test_operations(test, "operations " + name)};
  // The reference takes seconds for a whole network: once is enough.
  if (last) rows.push_back(test_networks(test, "networks"));
  return rows;
}

SelfTestReport test_everything(const RunContext& context, const SelfTestOptions& options,
                               Group& group, bool with_mpi) {
  const Fault fault = parse_fault(options.fault);
  OwnTests own(context, options, group);
  Json mine = {{"rows", rows_json(own.run())}};
  if (group.local_rank() == 0) mine["facts"] = cheap_facts(context, ".");
  SelfTestReport report = {.rows = {}, .hosts = Json::object()};
  for (int rank = 0; const std::string& text : gather(group.control(), json_text(mine), 0)) {
    read_from_peer(rank++, "its findings", text,
                   [&](const Json& theirs) { add_findings(theirs, report); });
  }
  report.rows = joined_memory(std::move(report.rows));
  try {
    compare_hosts(report.rows, report.hosts);
  } catch (const Json::exception&) {  // its words are of the JSON library
    throw Error("a rank sent the facts of its host in a form that cannot be read");
  }
  if (group.control().size() > 1) {
    std::ranges::move(test_collectives(group, with_mpi, fault), std::back_inserter(report.rows));
    if (own.wants_nccl()) report.rows.push_back(nccl_row(own, group, fault));
  } else {
    report.rows.push_back({.check = "all-reduce",
                           .host = host_name(),
                           .where = "1 rank",
                           .result = TestResult::Skipped,
                           .what = "needs at least 2 ranks; use --num-devices 2"});
  }
  report.seconds = seconds_since(context.start).count();
  return report;
}

}  // namespace lockstep
