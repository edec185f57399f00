#include "doctor/nccl_probe.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "config/json.h"
#include "process/ask.h"
#include "process/guarded_directory.h"

namespace lockstep {
namespace {

constexpr Seconds kPatience{60};

// Rows of sizes; none: the file is not there, or no result.
Json rows_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const Json result = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  return result.is_object() ? result.value("rows", Json::array()) : Json::array();
}

}  // namespace

Json nccl_facts(const std::string& program, int gpus) {
  Json facts = {{"gpus", gpus}};
  const GuardedDirectory directory(temporary_directory());
  const auto file = directory.path() / "nccl.json";
  const CommandAnswer answer =
      ask({program, "allreduce", "--device=cuda", fmt::format("--num-devices={}", gpus),
           "--minbytes=64M", "--maxbytes=64M", "--iters=10", "--result=" + file.string()},
          kPatience);
  if (!answer.found) {
    facts["error"] = "lockstep-torch is not built: ./run torch";
    return facts;
  }
  const Json rows = answer.well ? rows_in(file) : Json::array();
  if (rows.empty()) {
    facts["error"] = answer.complaint.empty() ? "no result" : answer.complaint;
    return facts;
  }
  facts["bytes_per_second"] = rows.back().at("busbw_bytes_per_second");
  if (rows.back().at("wrong").is_number() && rows.back().at("wrong") > 0) {
    facts["error"] = fmt::format("{} wrong sums", rows.back().at("wrong").get<int64_t>());
  }
  return facts;
}

}  // namespace lockstep
