// 'lockstep tune' as a user calls it.
#include "app/sweep_fixture.h"
#include "report/results/results_store.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Sweep, TuneListsItsCandidatesAndRequiresOneNetwork) {
  const Ran listed = run({lockstep_program(), "tune", "--model=trivial", "--num-devices=2",
                          "--gradient-compression=none", "--dry-run", "--threads=1"});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("variable-update=parameter_server"));
  EXPECT_THAT(listed.out, HasSubstr("all-reduce-spec=ring"));
  EXPECT_THAT(listed.out, HasSubstr("16 candidates"));
  const Ran alone =
      run({lockstep_program(), "tune", "--model=trivial", "--num-devices=1", "--dry-run"});
  ASSERT_EQ(alone.outcome.end, RunEnd::Completed) << alone.err;
  const Ran two = run({lockstep_program(), "tune", "--model=trivial,lenet"});
  EXPECT_EQ(two.exit_code(), 2);
  EXPECT_THAT(two.err, HasSubstr("tune needs one network"));
}

TEST_F(Sweep, TuneEndsWithTheWinnersCommandLine) {
  const Ran ran =
      run({lockstep_program(), "tune", "--model=trivial", "--batch-size=2", "--num-devices=2",
           "--num-warmup-batches=1", "--num-batches=2", "--variable-update=replicated",
           "--gradient-compression=none", "--all-reduce-spec=ring", "--bucket-mb=1,2,4",
           "--threads=1", "--repeats=2", "--output=" + results()});
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("3 candidates, 1 launch each\n"));
  EXPECT_THAT(ran.err, HasSubstr("2 candidates, 2 launches each\n"));
  EXPECT_THAT(ran.out, HasSubstr("\nlockstep train --model=trivial --batch-size=2"));
  EXPECT_EQ(read_store(results()).runs.size(), 5u);
}

TEST_F(Sweep, TuneOnHostsUsesAllOfThemAndLeavesTheirCoresToThem) {
  const Ran listed = run({lockstep_program(), "tune", "--model=trivial", "--hosts=a:2,b:2",
                          "--gradient-compression=none", "--dry-run"});
  ASSERT_EQ(listed.outcome.end, RunEnd::Completed) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("variable-update=parameter_server"));
  EXPECT_THAT(listed.out, HasSubstr("num-ps=4"));
  EXPECT_THAT(listed.out, Not(HasSubstr("nodes=")));
  EXPECT_THAT(listed.out, Not(HasSubstr("threads=")));
}

}  // namespace
}  // namespace lockstep
