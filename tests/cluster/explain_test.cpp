// A link that is really slow: the loss budget must name it. No time is asserted.
#include <gmock/gmock.h>

#include "cluster/ssh_cluster.h"
#include "report/results/run_result.h"

namespace lockstep {
namespace {

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
}

}  // namespace
}  // namespace lockstep
