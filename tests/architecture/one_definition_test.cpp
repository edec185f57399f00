// Two files never define types of one name: the linker would merge their functions in silence
// (the one-definition rule), and either file would run the other's code.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "architecture/type_definitions.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << "cannot read " << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(OneDefinition, NoTwoFilesDefineATypeOfOneName) {
  const fs::path root = project_path("src");
  std::map<std::string, std::set<std::string>> files_by_type;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    const std::string file = fs::relative(entry.path(), root);
    SCOPED_TRACE(file);
    std::vector<std::string> types;
    EXPECT_NO_THROW(types = type_definitions(contents(entry.path())));
    for (const std::string& type : types) files_by_type[type].insert(file);
  }
  EXPECT_GT(files_by_type.size(), 100u) << "the sources were not read";
  for (const auto& [type, files] : files_by_type) {
    EXPECT_EQ(files.size(), 1u) << type << " is defined in " << ::testing::PrintToString(files)
                                << ": rename all but one, or put them into unnamed namespaces";
  }
}

TEST(OneDefinition, EveryKindOfTypeIsFoundByItsFullName) {
  EXPECT_THAT(type_definitions(R"(
      namespace a::b {
      struct Plain { int x = 1; };
      template <class T, typename... U> class Derived final : public Plain, private Other<T> {
       public:
        enum class Inner : int { One, Two };
      };
      template <> struct Derived<int> {};
      union [[nodiscard]] alignas(8) Aligned { int i; };
      }
      struct a::b::Plain::Hidden {};
      extern "C" { struct Foreign { }; })"),
              ElementsAre("a::b::Plain", "a::b::Derived", "a::b::Derived::Inner",
                          "a::b::Derived<int>", "a::b::Aligned", "a::b::Plain::Hidden", "Foreign"));
}

TEST(OneDefinition, WhatNoOtherFileCanMeanIsLeftOut) {
  EXPECT_THAT(type_definitions(R"(
      #define TYPE struct Macro { \
        int x; };
      // struct Comment {
      /* struct Comment { */
      namespace a {
      namespace { struct Unnamed { struct Inner {}; }; }
      struct Declared;
      enum class Opaque : int;
      const char* text = "struct Text {"; char brace = '{'; const char* raw = R"x(struct Raw {)x";
      int large = 1'000;
      inline struct Declared* function() { struct Local {}; return nullptr; }
      constexpr struct Declared kRows[] = {{1}, {2}};
      })"),
              IsEmpty());
}

}  // namespace
}  // namespace lockstep
