// A link that is really slow: the loss budget must name it. No time is asserted.
#include <gmock/gmock.h>

#include "cluster/ssh_cluster.h"
#include "report/results/run_result.h"

namespace lockstep {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

struct ShapedLink : SshCluster {
  ShapedLink() : SshCluster("50mbit") {}
};

TEST_F(ShapedLink, IsMostOfWhatIsLost) {
  const Ran ran = launch({"--hosts=host1,host2", "--result", path("r.json")});
  ASSERT_EQ(ran.exit_code(), 0) << ran.err;
  const RunResult result = read_result(path("r.json"));
  ASSERT_TRUE(result.path.has_value());
  const PathSummary& path = *result.path;
  const double link = path.part(PathPart::Wire) + path.part(PathPart::Queue);
  for (const PathPart other : {PathPart::Late, PathPart::Input, PathPart::Between}) {
    EXPECT_GT(link, path.part(other)) << kPathPartNames[static_cast<size_t>(other)];
  }
  EXPECT_GT(path.transfer_seconds, 0);
  const Ran explained = run_on(0, {program_, "explain", "--json", this->path("r.json")});
  ASSERT_EQ(explained.exit_code(), 0) << explained.err;
  EXPECT_THAT(explained.out,
              AnyOf(HasSubstr("\"rule\": \"wire\""), HasSubstr("\"rule\": \"queue\"")));
}

}  // namespace
}  // namespace lockstep
