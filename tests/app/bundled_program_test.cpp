// Programs that pip adds to a bundle: they run with the torch of the same environment, or not at
// all.
#include "app/bundled_program.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/other_program.h"
#include "base/bundle.h"
#include "base/error.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// An environment as pip leaves it: the bundle in libexec/lockstep, lockstep-torch for torch 2.15.0.
class BundledProgram : public ::testing::Test {
 protected:
  BundledProgram() {
    for (const char* name : {"lockstep", "lockstep-program", "ld-linux-x86-64.so.2"}) {
      write(bundle_ / name, "");
    }
    write(bundle_ / "lockstep-torch-program", "");
    fs::permissions(bundle_ / "lockstep-torch-program", fs::perms::owner_all);
    write(bundle_ / "lockstep-torch.torch-version", "2.15.0 0123abcd\n");
  }

  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  static void install_torch(const fs::path& torch, const std::string& version) {
    write(torch / "lib" / "libtorch_cpu.so", "");
    write(torch / "version.py", "debug = False\n__version__ = '" + version + "'\ncuda = '13.2'\n");
  }

  BundledStart start(const fs::path& bundle, const std::map<std::string, std::string>& set = {}) {
    const Context context = {.out = out_,
                             .err = out_,
                             .program = (bundle / "lockstep").string(),
                             .environment = [&](const std::string& name) {
                               const auto found = set.find(name);
                               return found == set.end() ? std::nullopt
                                                         : std::optional(found->second);
                             }};
    return bundled_start(context, "lockstep-torch");
  }
  std::string refusal(const fs::path& bundle) {
    try {
      return "found " + start(bundle).torch;
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  TemporaryDirectory temporary_;
  const fs::path environment_ = temporary_.path("environment");
  const fs::path bundle_ = environment_ / "libexec" / "lockstep";
  const fs::path torch_ = environment_ / "lib" / "python3.11" / "site-packages" / "torch";
  std::ostringstream out_;
};

TEST_F(BundledProgram, TheLoaderStartsItWithTheTorchOfTheEnvironment) {
  install_torch(torch_, "2.15.0+cu132");
  const BundledStart found = start(bundle_);
  EXPECT_EQ(found.torch, torch_.string());
  EXPECT_THAT(found.words,
              ElementsAre(EndsWith("libexec/lockstep/ld-linux-x86-64.so.2"), "--argv0", "lockstep",
                          "--library-path", torch_.string() + "/lib:" + bundle_.string(),
                          (bundle_ / "lockstep-torch-program").string()));
}

TEST_F(BundledProgram, LibrariesOfTheUserComeLast) {
  install_torch(torch_, "2.15.0");
  EXPECT_THAT(start(bundle_, {{"LD_LIBRARY_PATH", "/drivers"}}).words[4], EndsWith(":/drivers"));
}

TEST_F(BundledProgram, ADirectoryOfPipTargetIsAnEnvironment) {
  install_torch(environment_ / "torch", "2.15.0");
  EXPECT_EQ(start(bundle_).torch, (environment_ / "torch").string());
}

TEST_F(BundledProgram, WithoutTorchTheErrorSaysWhichToInstall) {
  EXPECT_EQ(refusal(bundle_), "--engine torch: found no torch in the Python environment " +
                                  environment_.string() +
                                  "; lockstep-torch needs it: pip install torch==2.15.0");
}

TEST_F(BundledProgram, AnotherTorchIsRefusedInOneLine) {
  install_torch(torch_, "2.14.1+cpu");
  EXPECT_EQ(refusal(bundle_), "--engine torch: " + torch_.string() +
                                  " is torch 2.14.1, but lockstep-torch is built for 2.15.0: "
                                  "pip install torch==2.15.0");
}

TEST_F(BundledProgram, OfTwoTorchesTheRightOneCounts) {
  install_torch(environment_ / "lib" / "python3.10" / "site-packages" / "torch", "2.14.0");
  install_torch(torch_, "2.15.0");
  EXPECT_EQ(start(bundle_).torch, torch_.string());
}

TEST_F(BundledProgram, OnAnotherHostTheLauncherSaysWhereTorchIs) {
  install_torch(torch_, "2.15.0");
  const fs::path copied = temporary_.path() / "remote" / "lockstep-0123";
  fs::create_directories(copied.parent_path());
  fs::copy(bundle_, copied);
  EXPECT_THAT(refusal(copied), HasSubstr("found no torch in " + copied.string()));
  EXPECT_EQ(start(copied, {{kTorchVariable, torch_.string()}}).torch, torch_.string());
}

TEST_F(BundledProgram, WithoutTheExtraTheErrorSaysHowToAddIt) {
  fs::remove(bundle_ / "lockstep-torch-program");
  const Context context = {.out = out_, .err = out_, .program = (bundle_ / "lockstep").string()};
  const OtherProgram torch = {.name = "lockstep-torch",
                              .built_by = "./run torch",
                              .installed_by = "the wheel of './run wheel torch'"};
  EXPECT_FALSE(is_built(torch, context));
  EXPECT_EQ(remedy_for(torch, context), "the wheel of './run wheel torch' adds it");
}

}  // namespace
}  // namespace lockstep
