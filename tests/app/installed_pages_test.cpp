#include "app/installed_pages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/command_runs.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

TEST(InstalledPages, AreFoundFromEveryPlaceOfTheProgram) {
  const TemporaryDirectory temporary;
  const fs::path root = temporary.path(), pages = root / "share/doc/lockstep/docs";
  fs::create_directories(pages);
  EXPECT_EQ(directory_of_pages((root / "bin/lockstep").string()), "");
  std::ofstream(pages / "networks.md") << "text";
  EXPECT_EQ(directory_of_pages((root / "bin/lockstep").string()), pages.string());
  EXPECT_EQ(directory_of_pages((root / "libexec/lockstep/lockstep").string()), pages.string());
  EXPECT_EQ(directory_of_pages(project_path("build/lockstep")), project_path("docs"));
}

TEST(InstalledPages, AreNamedByTheHelp) {
  EXPECT_NE(run({"--help"}).out.find("Pages such as docs/networks.md are in "), std::string::npos);
}

}  // namespace
}  // namespace lockstep
