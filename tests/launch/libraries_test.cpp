#include "launch/libraries.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Libraries, HaveAPathOrAreMissing) {
  EXPECT_THAT(libraries_in({"\tlinux-vdso.so.1 (0x00007ffd)", "\tlibdnnl.so.2 => not found",
                            "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f21)",
                            "\tlibodd.so => /opt/my libs/libodd.so (0x00007f22)",
                            "\t/lib64/ld-linux-x86-64.so.2 (0x00007f2)", "", " => "}),
              ElementsAre(Pair("libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"),
                          Pair("libdnnl.so.2", ""), Pair("libodd.so", "/opt/my libs/libodd.so")));
}

TEST(Libraries, ATooOldSystemIsRecognised) {
  const std::string line = "./lockstep: /lib/libc.so.6: version `GLIBC_2.34' not found";
  EXPECT_EQ(too_old({"\tlibdnnl.so.2 => not found", line}), line);
  EXPECT_EQ(too_old({"\tlibdnnl.so.2 => not found"}), "");
}

}  // namespace
}  // namespace lockstep
