#include "launch/hosts.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Host> hosts(const std::string& text) { return parse_hosts(text, "nodes"); }

std::string complaint(const std::string& text) {
  try {
    hosts(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Hosts, ANodesFileHasNamesInTheClusterAndForSsh) {
  EXPECT_THAT(hosts("ip-10-0-0-1.ec2.internal deeplearning-worker1\n10.0.0.2 worker2\n"),
              ElementsAre(Host{"ip-10-0-0-1.ec2.internal", "deeplearning-worker1"},
                          Host{"10.0.0.2", "worker2"}));
}

TEST(Hosts, AnOpenMpiHostfileHasSlots) {
  EXPECT_THAT(hosts("# our cluster\n\nnode1 slots=4  # the big one\nnode2 slots=2 max_slots=4\n"),
              ElementsAre(Host{"node1", "node1", 4}, Host{"node2", "node2", 2}));
}

TEST(Hosts, HorovodsListHasSlotsBehindAColon) {
  EXPECT_THAT(hosts("server1:4,server2:2"),
              ElementsAre(Host{"server1", "server1", 4}, Host{"server2", "server2", 2}));
}

TEST(Hosts, PlainNamesAndUsersAreFine) {
  EXPECT_THAT(hosts("a\nb,c\n"), ElementsAre(Host{"a", "a"}, Host{"b", "b"}, Host{"c", "c"}));
  EXPECT_THAT(hosts("10.0.0.1 ubuntu@gate"), ElementsAre(Host{"10.0.0.1", "ubuntu@gate"}));
}

TEST(Hosts, TheUserIsForSshAndNotPartOfTheName) {
  EXPECT_THAT(hosts("me@a,me@b:4"), ElementsAre(Host{"a", "me@a"}, Host{"b", "me@b", 4}));
  EXPECT_THAT(hosts("me@corp@a slots=2"), ElementsAre(Host{"a", "me@corp@a", 2}));
  EXPECT_THAT(hosts("me@fd00::1"), ElementsAre(Host{"fd00::1", "me@fd00::1"}));
  EXPECT_THAT(complaint("me@a,you@a"), HasSubstr("a is listed twice"));
  EXPECT_THAT(complaint("@a"), HasSubstr("is not a valid host name"));
  EXPECT_THAT(complaint("me@"), HasSubstr("is not a valid host name"));
  EXPECT_THAT(complaint("me@-oProxyCommand"), HasSubstr("is not a valid host name"));
}

TEST(Hosts, AUserLogsInUnderTheNameForSshToo) {
  EXPECT_THAT(hosts("me@a=alias:2"), ElementsAre(Host{"a", "me@alias", 2}));
  EXPECT_THAT(hosts("me@a=you@alias"), ElementsAre(Host{"a", "you@alias"}));
  EXPECT_THAT(hosts("me@a alias slots=2"), ElementsAre(Host{"a", "me@alias", 2}));
  EXPECT_THAT(hosts("me@a you@alias"), ElementsAre(Host{"a", "you@alias"}));
  EXPECT_THAT(complaint("me@a b c"), HasSubstr("'c' is unexpected"));
}

TEST(Hosts, Ipv6AddressesMayStandInBrackets) {
  EXPECT_THAT(hosts("[fd00::1]:4,[fd00::2]"),
              ElementsAre(Host{"fd00::1", "fd00::1", 4}, Host{"fd00::2", "fd00::2"}));
  EXPECT_THAT(hosts("fd00::1"), ElementsAre(Host{"fd00::1", "fd00::1"}));
  EXPECT_THAT(hosts("me@[fd00::1]:2"), ElementsAre(Host{"fd00::1", "me@fd00::1", 2}));
  EXPECT_THAT(complaint("me@[fd00::1"), HasSubstr("[IPV6]"));
}

TEST(Hosts, AnyListCanBeWrittenOnOneLine) {
  for (const char* text : {"n1 alias1\nn2 me@alias2 slots=4", "a:4,b", "[fe80::1]:4\nfe80::2",
                           "me@node1\nme@node2 slots=2"}) {
    const std::vector<Host> hosts = parse_hosts(text, "it");
    EXPECT_EQ(parse_hosts(hosts_text(hosts), "it"), hosts) << text;
  }
  EXPECT_EQ(hosts_text(parse_hosts("n1 alias1 slots=2\nn2", "it")), "n1=alias1:2,n2");
}

TEST(Hosts, AnInvalidNameIsRejectedWithItsLine) {
  EXPECT_THAT(complaint("a\n-oProxyCommand=evil\n"), HasSubstr("nodes:2: '-oProxyCommand=evil'"));
  EXPECT_THAT(complaint("a;b"), HasSubstr("'a;b' is not a valid host name"));
  EXPECT_THAT(complaint("$(reboot)"), HasSubstr("is not a valid host name"));
  EXPECT_THAT(complaint("a -b"), HasSubstr("'-b' is not a valid host name"));
  EXPECT_THAT(complaint("a:0"), HasSubstr("slots"));
  EXPECT_THAT(complaint("a slots=many"), HasSubstr("slots"));
  EXPECT_THAT(complaint("a b c"), HasSubstr("'c' is unexpected"));
  EXPECT_THAT(complaint("[fd00::1"), HasSubstr("[IPV6]"));
  EXPECT_THAT(complaint("# nothing\n"), HasSubstr("no hosts given"));
  EXPECT_THAT(complaint("a\nb\na\n"), HasSubstr("a is listed twice"));
}

TEST(Hosts, AllProblemsAreReportedTogether) {
  EXPECT_EQ(complaint("a;b\nc:many,d\n-e\nf g h\n"),
            "nodes:1: 'a;b' is not a valid host name\n"
            "nodes:2: slots must be a number from 1 to 4096, not 'many'\n"
            "nodes:3: '-e' is not a valid host name\n"
            "nodes:4: 'h' is unexpected; use HOST [SSH_NAME] [slots=N]");
  EXPECT_EQ(complaint("$(x),b,a b,b;c"),
            "nodes: '$(x)' is not a valid host name\n"
            "nodes: a comma-separated list of hosts must be alone on its line");
  EXPECT_THAT(complaint("a,b,a,b,b"), HasSubstr("a is listed twice"));
  EXPECT_THAT(complaint("a,b,a,b,b"), HasSubstr("b is listed 3 times"));
}

TEST(Hosts, AMissingFileIsNotReadAsAList) {
  for (const char* name :
       {"./no/such/file", "nosuch.txt", "my.hosts", "cluster.conf", "x.hostfile"}) {
    EXPECT_THAT([&] { read_hosts(name); },
                ::testing::ThrowsMessage<UsageError>(HasSubstr("no such file")));
  }
  EXPECT_THAT(read_hosts("node1.example.org"), ::testing::SizeIs(1));
}

TEST(Hosts, APipeIsReadAsAFile) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "a\nb\n", 4), 4);
  close(ends[1]);
  EXPECT_THAT(read_hosts("/dev/fd/" + std::to_string(ends[0])), ::testing::SizeIs(2));
  close(ends[0]);
  EXPECT_THAT([&] { read_hosts("/tmp"); },
              ::testing::ThrowsMessage<UsageError>(
                  "--hosts /tmp: is a directory; give a file or a list of hosts"));
}

TEST(Hosts, AnUnresolvableNameMayBeMeantAsAFile) {
  const std::string unknown = "ssh: Could not resolve hostname nodes: Name or service not known";
  EXPECT_EQ(no_file_either("nodes", unknown), unknown + "; no file 'nodes' either");
  EXPECT_EQ(no_file_either("nodes,b", unknown), unknown);
  EXPECT_EQ(no_file_either("", unknown), unknown);
  EXPECT_EQ(no_file_either("nodes", "Connection refused"), "Connection refused");
}

}  // namespace
}  // namespace lockstep
