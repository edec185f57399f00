// Completion scripts in real shells, and manual pages in a real man. What is not installed is
// skipped.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "support/paths.h"
#include "support/real_runs.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

class Completion : public ::testing::Test {
 protected:
  // The script of a shell, in a file.
  std::string script(const std::string& shell) {
    const Ran ran = run_really({lockstep_program(), "completion", shell}, "");
    EXPECT_EQ(ran.exit_code(), 0) << ran.err;
    const fs::path path = temporary_.path() / ("_lockstep." + shell);
    std::ofstream(path) << ran.out;
    return path.string();
  }
  static bool has(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
  }

  TemporaryDirectory temporary_;
};

TEST_F(Completion, BashCompletesCommandsOptionsNetworksAndStrategies) {
  if (!has("bash")) GTEST_SKIP() << "install bash";
  const std::string file = script("bash");
  const auto offered = [&](const std::string& words) {
    const std::string line = "source '" + file + "'; COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _lockstep; "
                             "printf '%s\\n' \"${COMPREPLY[@]}\"";
    const Ran ran = run_really({"bash", "--norc", "-c", line}, "");
    EXPECT_EQ(ran.err, "");
    return split(ran.out, '\n');
  };
  EXPECT_THAT(offered("lockstep tr"), Contains("train"));
  EXPECT_THAT(offered("lockstep data p"), Contains("pack"));
  EXPECT_THAT(offered("lockstep train --batch"),
              IsSupersetOf({"--batch-size", "--batch-group-size"}));
  EXPECT_THAT(offered("lockstep train --model resnet"), IsSupersetOf({"resnet50", "resnet101"}));
  EXPECT_THAT(offered("lockstep train --model = resnet5"), Contains("resnet50"));
  EXPECT_THAT(offered("lockstep train --variable-update para"), Contains("parameter_server"));
  EXPECT_THAT(offered("lockstep train --gradient-compression ''"), IsSupersetOf({"none", "fp16"}));
  EXPECT_THAT(offered("lockstep train --data-format NH"), Contains("NHWC"));
  EXPECT_THAT(offered("lockstep train --device ''"),
              AllOf(IsSupersetOf({"auto", "cpu", "cuda"}), Not(Contains("cuda:N"))));
  EXPECT_THAT(offered("lockstep train --framework py"), Contains("pytorch"));
  EXPECT_THAT(offered("lockstep train --framework NA"), Not(Contains("NAME[:MODE]")));
  EXPECT_THAT(offered("lockstep sweep --framework pytorch,ja"), Contains("pytorch,jax"));
  EXPECT_THAT(offered("lockstep models vgg"), Contains("vgg16"));
  EXPECT_THAT(offered("lockstep sweep --models lenet,alexn"), Contains("lenet,alexnet"));
  EXPECT_THAT(offered("lockstep sweep --variable-update horovod,repl"),
              Contains("horovod,replicated"));
  EXPECT_THAT(offered("lockstep help data ''"), AllOf(Contains("pack"), Not(Contains("train"))));
  EXPECT_THAT(offered("lockstep help tr"), Contains("train"));
  EXPECT_THAT(offered("lockstep train --network"), Not(Contains("--network")));
  // The same name means something else in another command.
  EXPECT_THAT(offered("lockstep allreduce --check ''"), Contains("1"));
  EXPECT_THAT(offered("lockstep simulate --check ''"), Not(Contains("1")));
  std::ofstream(temporary_.path() / "my net.toml") << "";
  EXPECT_THAT(offered("lockstep train --model '" + temporary_.path().string() + "/my'"),
              Contains(temporary_.path().string() + "/my net.toml"));
}

TEST_F(Completion, FishCompletesCommandsOptionsNetworksAndStrategies) {
  if (!has("fish")) GTEST_SKIP() << "install fish";
  const std::string file = script("fish");
  const auto offered = [&](const std::string& line) {
    const Ran ran =
        run_really({"fish", "--no-config", "-c",
                    "source '" + file + "'; complete -C '" + line + "' | string split -f1 \\t"},
                   "");
    EXPECT_EQ(ran.err, "");
    return split(ran.out, '\n');
  };
  EXPECT_THAT(offered("lockstep tr"), Contains("train"));
  EXPECT_THAT(offered("lockstep data p"), Contains("pack"));
  EXPECT_THAT(offered("lockstep train --batch"),
              IsSupersetOf({"--batch-size", "--batch-group-size"}));
  EXPECT_THAT(offered("lockstep train --model resnet"), IsSupersetOf({"resnet50", "resnet101"}));
  EXPECT_THAT(offered("lockstep train --variable-update para"), Contains("parameter_server"));
  EXPECT_THAT(offered("lockstep models vgg"), Contains("vgg16"));
}

// zsh completes only in its line editor, so it runs in a terminal of its own (zpty). The editor
// takes keys once it has shown its prompt.
TEST_F(Completion, ZshCompletesCommandsOptionsNetworksAndStrategies) {
  if (!has("zsh")) GTEST_SKIP() << "install zsh";
  const std::string file = script("zsh");
  const auto offered = [&](const std::string& line) {
    const std::string program =
        "zmodload zsh/zpty\n"
        "zpty shell 'zsh -f -i'\n"
        "zpty -w shell 'PS1=; autoload -Uz compinit; compinit -D; source " +
        file +
        "'\n"
        "zpty -w shell 'listed() { compadd() { local -a all; builtin compadd -O all \"$@\"; "
        "print -l -- \"<\"${^all}\">\"; builtin compadd \"$@\" }; _lockstep; unfunction compadd "
        "}'\n"
        "zpty -w shell 'zle -C listed complete-word listed; bindkey \"^T\" listed; "
        "PS1=at_pro\"\"mpt'\n"
        "zpty -r shell seen '*at_prompt*'\n"
        "zpty -w -n shell '" +
        line +
        "'$'\\C-t'\n"
        "zpty -w shell $'\\C-uecho do\"\"ne'\n"
        "while zpty -r shell seen; do print -r -- $seen; [[ $seen == *done* ]] && break; done\n"
        "zpty -d shell\n";
    return run_really({"zsh", "-f", "-c", program}, "").out;
  };
  EXPECT_THAT(offered("lockstep tr"), HasSubstr("<train>"));
  EXPECT_THAT(offered("lockstep data p"), HasSubstr("<pack>"));
  EXPECT_THAT(offered("lockstep train --batch"), HasSubstr("--batch-size"));
  EXPECT_THAT(offered("lockstep train --model resnet5"), HasSubstr("<resnet50>"));
  EXPECT_THAT(offered("lockstep train --variable-update para"), HasSubstr("<parameter_server>"));
  EXPECT_THAT(offered("lockstep train --device cud"), HasSubstr("<cuda>"));
  EXPECT_THAT(offered("lockstep train --framework pyto"), HasSubstr("<pytorch>"));
  EXPECT_THAT(offered("lockstep sweep --models lenet,alexn"), HasSubstr("<alexnet>"));
}

TEST_F(Completion, AnUnknownShellIsAnError) {
  const Ran ran = run_really({lockstep_program(), "completion", "csh"}, "");
  EXPECT_EQ(ran.exit_code(), 2);
  EXPECT_THAT(ran.err, HasSubstr("one of bash, zsh, fish, not 'csh'"));
}

TEST_F(Completion, EveryCommandHasAManualPageWithoutWarnings) {
  const std::string directory = (temporary_.path() / "man").string();
  ASSERT_EQ(run_really({lockstep_program(), "manual", "--output", directory}, "").exit_code(), 0);
  for (const char* name : {"lockstep.1", "lockstep-train.1", "lockstep-data-pack.1"}) {
    EXPECT_TRUE(fs::exists(fs::path(directory) / name)) << name;
  }
  if (!has("groff")) GTEST_SKIP() << "install groff";
  for (const auto& page : fs::directory_iterator(directory)) {
    const Ran ran = run_really({"groff", "-man", "-Tutf8", "-ww", page.path().string()}, "");
    EXPECT_THAT(ran.err, IsEmpty()) << page.path();
    EXPECT_THAT(ran.out, HasSubstr("Ctrl-C or SIGTERM")) << page.path();
  }
}

}  // namespace
}  // namespace lockstep
