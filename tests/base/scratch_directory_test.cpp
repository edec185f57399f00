#include "base/scratch_directory.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) before_ = value;
  }
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  void set(const std::string& value) const { setenv(name_, value.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

TEST(TemporaryFiles, GoWhereTMPDIRSaysOrElseWhereThereIsRoom) {
  const TemporaryDirectory directory;
  const Variable variable("TMPDIR");
  variable.set(directory.path());
  EXPECT_EQ(temporary_directory(), fs::path(directory.path()));
  variable.set(directory.path("none"));
  const fs::path other = temporary_directory();
  EXPECT_TRUE(fs::is_directory(other)) << other;
  const ScratchDirectory scratch(other);
  EXPECT_TRUE(fs::is_directory(scratch.path()));
}

}  // namespace
}  // namespace lockstep
