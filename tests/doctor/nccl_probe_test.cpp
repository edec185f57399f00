// What the doctor makes of an all-reduce on the GPUs of a host; a script stands for lockstep-torch.
#include "doctor/nccl_probe.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/json.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

class NcclProbe : public ::testing::Test {
 protected:
  // `body`: commands; $result is the file to write.
  std::string program(const std::string& body) {
    const std::string path = temporary_.path("program");
    std::ofstream(path) << "#!/bin/sh\nfor word; do result=${word#--result=}; done\n"
                        << "echo \"$@\" >" << temporary_.path("arguments") << "\n"
                        << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  static std::string writing(int wrong) {
    return R"(echo '{"rows": [{"busbw_bytes_per_second": 2e11, "wrong": )" + std::to_string(wrong) +
           R"(}]}' > "$result")";
  }

  TemporaryDirectory temporary_;
};

TEST_F(NcclProbe, ReadsTheBandwidthOfTheBus) {
  const Json facts = nccl_facts(program(writing(0)), 8);
  EXPECT_EQ(facts, (Json{{"gpus", 8}, {"bytes_per_second", 2e11}}));
  std::string command, devices, count;
  std::ifstream(temporary_.path("arguments")) >> command >> devices >> count;
  EXPECT_EQ(command, "allreduce");
  EXPECT_EQ(count, "--num-devices=8");
}

TEST_F(NcclProbe, WrongSumsAreAnError) {
  EXPECT_EQ(nccl_facts(program(writing(3)), 2).at("error"), "3 wrong sums");
}

TEST_F(NcclProbe, AFailureIsReportedInItsOwnWords) {
  const Json facts = nccl_facts(program("echo 'lockstep: NCCL failed' >&2; exit 1"), 2);
  EXPECT_NE(facts.at("error").get<std::string>().find("NCCL failed"), std::string::npos);
}

TEST_F(NcclProbe, AMissingProgramSaysHowToBuildIt) {
  EXPECT_EQ(nccl_facts(temporary_.path("none"), 2).at("error"),
            "lockstep-torch is not built: ./run torch");
}

}  // namespace
}  // namespace lockstep
