#include "external/template.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Template, FindsPlaceholdersInOrder) {
  EXPECT_THAT(placeholders_in("--a={model}:{batch_size}"), ElementsAre("model", "batch_size"));
  EXPECT_THAT(placeholders_in("plain"), IsEmpty());
  EXPECT_THAT(placeholders_in("{{model}}"), IsEmpty());
}

TEST(Template, DoesNotExpandPlaceholdersInsideValues) {
  EXPECT_EQ(expanded("{a}-{b}", {{"a", "{b}"}, {"b", "$(rm -rf /); 'x'"}}), "{b}-$(rm -rf /); 'x'");
  EXPECT_EQ(expanded("{{{a}}}", {{"a", "1"}}), "{1}");
  EXPECT_EQ(expanded("n={a*(b+1)}", {{"a", "2"}, {"b", "3"}}), "n=8");
}

TEST(Template, RejectsBracesOutsidePlaceholders) {
  for (const char* bad : {"{", "}", "{}", "{Model}", "{a b}", "a}b", "{open", "{a{b}"}) {
    EXPECT_THROW(placeholders_in(bad), UsageError) << bad;
  }
}

}  // namespace
}  // namespace lockstep
