#include "base/host_name.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>

namespace lockstep {
namespace {

TEST(HostName, IsTheOneOfTheKernel) {
  utsname names = {};
  ASSERT_EQ(uname(&names), 0);
  EXPECT_EQ(host_name(), names.nodename);
}

}  // namespace
}  // namespace lockstep
