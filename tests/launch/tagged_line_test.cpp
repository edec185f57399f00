#include "launch/tagged_line.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(TaggedLine, OpenMpiLinesHaveRankAndStream) {
  EXPECT_EQ(tagged_line(LineTag::OpenMpi, "[1,0]<stdout>:1\timages/sec: 3", false),
            (TaggedLine{0, "1\timages/sec: 3", false}));
  EXPECT_EQ(tagged_line(LineTag::OpenMpi, "[1,12]<stderr>:oh: [x]<stdout>:", false),
            (TaggedLine{12, "oh: [x]<stdout>:", true}));
}

TEST(TaggedLine, OpenMpiMayTagALineInItsMiddleToo) {
  EXPECT_EQ(tagged_line(LineTag::OpenMpi, "[1,0]<stdout>:total ima[1,0]<stdout>:ges/sec: 3", false),
            (TaggedLine{0, "total images/sec: 3", false}));
}

TEST(TaggedLine, MpichLinesHaveTheRank) {
  EXPECT_EQ(tagged_line(LineTag::Mpich, "[3] a [4] b", false), (TaggedLine{3, "a [4] b", false}));
  EXPECT_EQ(tagged_line(LineTag::Mpich, "[3]", true), (TaggedLine{3, "", true}));
}

TEST(TaggedLine, SlurmPadsRanksToTheWidest) {
  EXPECT_EQ(tagged_line(LineTag::Slurm, " 7: a: b", true), (TaggedLine{7, "a: b", true}));
  EXPECT_EQ(tagged_line(LineTag::Slurm, "10:", false), (TaggedLine{10, "", false}));
}

TEST(TaggedLine, LinesOfTheStartingProgramHaveNoTag) {
  EXPECT_FALSE(tagged_line(LineTag::Slurm, "srun: error: n1: task 0: Killed", true));
  EXPECT_FALSE(tagged_line(LineTag::OpenMpi, "mpirun noticed that process rank 1", true));
  EXPECT_FALSE(tagged_line(LineTag::OpenMpi, "[host:123] *** An error", true));
  EXPECT_FALSE(tagged_line(LineTag::Mpich, "[mpiexec@host] error", true));
  EXPECT_FALSE(tagged_line(LineTag::None, "0: text", false));
  EXPECT_FALSE(tagged_line(LineTag::Slurm, "", false));
}

}  // namespace
}  // namespace lockstep
