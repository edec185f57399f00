#include "web/http_message.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HttpHead, EndsAtItsEmptyLine) {
  EXPECT_EQ(end_of_head("GET / HTTP/1.1\r\n\r\nrest"), 18u);
  EXPECT_EQ(end_of_head("GET / HTTP/1.1\n\nrest"), 16u);
  EXPECT_EQ(end_of_head("GET / HTTP/1.1\r\nHost: a\r\n"), std::nullopt);
  EXPECT_EQ(end_of_head(""), std::nullopt);
}

TEST(HttpHead, HasMethodPathQueryAndHeaders) {
  const auto request = parse_http_head(
      "GET /set?name=a%2Fb+c&x=&name=other&y HTTP/1.1\r\nHOST:  localhost:1 \r\nCookie: "
      "a=b\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->path, "/set");
  EXPECT_EQ(request->parameter("name"), "a/b c");
  EXPECT_EQ(request->parameter("x"), "");
  EXPECT_EQ(request->parameter("y"), "");
  EXPECT_EQ(request->parameter("z"), std::nullopt);
  EXPECT_EQ(request->header("host"), "localhost:1");
  EXPECT_EQ(request->header("cookie"), "a=b");
  EXPECT_EQ(request->header("range"), "");
}

TEST(HttpHead, CodesThatAreCutShortStayAsTheyAre) {
  EXPECT_EQ(parse_http_head("GET /%4 HTTP/1.1\n\n")->path, "/%4");
  EXPECT_EQ(parse_http_head("GET /%zz%41% HTTP/1.1\n\n")->path, "/%zzA%");
}

TEST(HttpHead, OtherProtocolsAreRefused) {
  for (const char* head :
       {"", "\n\n", "GET /\n\n", "GET http://a/ HTTP/1.1\n\n", "GET / HTTP/2\n\n",
        "GET / HTTP/1.1\nno colon\n\n", "GET / HTTP/1.1\n: empty\n\n", "\x16\x03\x01\n\n",
        "GET  / HTTP/1.1\n\n"}) {
    EXPECT_FALSE(parse_http_head(head)) << head;
  }
}

TEST(HttpResponseHead, SaysHowLongTheBodyIsUnlessItIsAStream) {
  const std::string text = head_text(text_response(404, "none\n"));
  EXPECT_THAT(text, StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(text, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(text, EndsWith("\r\n\r\n"));
  EXPECT_THAT(head_text({.stream = true}), Not(HasSubstr("Content-Length")));
}

}  // namespace
}  // namespace lockstep
