// hosts.h: lists of hosts in all the ways that people keep them.
//
//   node1 alias1            name in the cluster, name for ssh: tfperftest's nodes file,
//                           CloudFormation's hosts file
//   node1 slots=4           Open MPI's hostfile
//   node1:4,node2:4         Horovod's -H, and mpirun's
//   node1                   plain; one per line, or several between commas
//   me@node1                who logs in there: for ssh only
//   [fe80::1]:4             an IPv6 address stands in brackets where something follows it
//   node1=alias1:4          the first form in a list
//
// '#' begins a comment, blank lines count for nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep {

struct Host {
  std::string name;        // in the cluster: what the other hosts call it
  std::string ssh_target;  // what ssh is told; often the same
  std::optional<int> slots = {};

  bool operator==(const Host&) const = default;
};

// `where` names the text in messages: a file, or "--hosts". Throws UsageError with line and reason
// of everything that is wrong.
std::vector<Host> parse_hosts(const std::string& text, const std::string& where);

// All of them as one list, which parse_hosts reads as the same hosts.
std::string hosts_text(const std::vector<Host>& hosts);

// The value of --hosts: a file if there is one of that name, else a list.
std::vector<Host> read_hosts(const std::string& file_or_list);

// Why the one host of a list could not be reached; when nobody knows its name, it may have been
// meant as a file.
std::string no_file_either(const std::string& file_or_list, const std::string& why);

}  // namespace lockstep
