// hosts.h: reads host lists in the common formats.
//
//   node1 alias1            name in the cluster, name for ssh: tfperftest's nodes file,
//                           CloudFormation's hosts file
//   node1 slots=4           Open MPI's hostfile
//   node1:4,node2:4         Horovod's -H, and mpirun's
//   node1                   plain; one per line, or several between commas
//   me@node1                user name, for ssh only
//   [fe80::1]:4             an IPv6 address needs brackets if something follows
//   node1=alias1:4          the first form in a list
//
// '#' starts a comment; blank lines are ignored.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep {

struct Host {
  std::string name;        // in the cluster: used by the other hosts
  std::string ssh_target;  // used for ssh; often the same
  std::optional<int> slots = {};

  bool operator==(const Host&) const = default;
};

// `where` names the text in messages: a file, or "--hosts". Throws UsageError with line and reason
// of every problem.
std::vector<Host> parse_hosts(const std::string& text, const std::string& where);

// The hosts as one list that parse_hosts() reads back.
std::string hosts_text(const std::vector<Host>& hosts);

// The value of --hosts: a file if there is one of that name, else a list.
std::vector<Host> read_hosts(const std::string& file_or_list);

// Why the only host of a list could not be reached. If its name does not resolve, it may have been
// meant as a file.
std::string no_file_either(const std::string& file_or_list, const std::string& why);

}  // namespace lockstep
