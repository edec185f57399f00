#include "external/arithmetic.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::map<std::string, std::string> kValues = {
    {"a", "7"}, {"b", "2"}, {"zero", "0"}, {"model", "resnet50"}, {"missing", ""}};

std::string complaint(const std::string& expression) {
  try {
    return "no complaint: " + computed(expression, kValues);
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Arithmetic, ProductsBindStrongerThanSumsAndBothGoLeftToRight) {
  EXPECT_EQ(computed("a*b", kValues), "14");
  EXPECT_EQ(computed("a + b * 3", kValues), "13");
  EXPECT_EQ(computed("(a+b)*3", kValues), "27");
  EXPECT_EQ(computed("a-b-1", kValues), "4");
  EXPECT_EQ(computed("a/b/1", kValues), "3");
  EXPECT_EQ(computed("b-a", kValues), "-5");
}

TEST(Arithmetic, FindsNamesInOrder) {
  EXPECT_THAT(names_in("(a+b)*3/num_devices"), ElementsAre("a", "b", "num_devices"));
  EXPECT_THAT(names_in("a/(b-b)"), ElementsAre("a", "b", "b"));
}

TEST(Arithmetic, RejectsWhatIsNoExpression) {
  for (const char* bad :
       {"", "a b", "a+", "*a", "(a", "a)", "a**b", "A", "a:b", "1.5", "99999999999999999999"}) {
    EXPECT_THROW(names_in(bad), UsageError) << bad;
  }
  EXPECT_THROW(names_in(std::string(100'000, '(')), UsageError);
}

TEST(Arithmetic, SaysWhichValueIsWrong) {
  EXPECT_EQ(complaint("model*2"), "'{model*2}': model is 'resnet50', not a whole number");
  EXPECT_THAT(complaint("a+missing"), HasSubstr("missing is '', not a whole number"));
  EXPECT_EQ(complaint("a/zero"), "'{a/zero}' divides by 0");
  EXPECT_THAT(complaint("a*9223372036854775807"), HasSubstr("is too large"));
}

}  // namespace
}  // namespace lockstep
