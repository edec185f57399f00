// store.h: a client of the store, the rendezvous of the ranks of a run.
//
// Keys and values are texts; a key waits to be set. Any thread may call, one request is under way
// at a time. Throws Error when the store is gone or refuses the token.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"
#include "comm/socket.h"
#include "comm/store_protocol.h"

namespace lockstep {

struct StoreOptions {
  Endpoint endpoint = {};
  std::string token = {};       // the run's secret: never on a command line
  std::string member = {};      // the rank in the run: its loss is recorded as "gone/<member>"
  Seconds connect_timeout{60};  // the server may start after its clients
};

class Store {
 public:
  explicit Store(const StoreOptions& options);

  void set(const std::string& key, const std::string& value);
  // Waits for all of them; the Error names the ranks whose keys ("host/3") did not come.
  std::vector<std::string> get(const std::vector<std::string>& keys, Seconds timeout);
  std::string get(const std::string& key, Seconds timeout);
  // Waits as well, and returns the keys that did not come.
  std::vector<std::string> missing(const std::vector<std::string>& keys, Seconds timeout);
  // All `size` ranks come here before any leaves. A name is used once.
  void barrier(const std::string& name, int rank, int size, Seconds timeout);

  // How long the store may take to answer beyond what a request itself waits.
  void set_answer_timeout(Seconds timeout) { answer_timeout_ = timeout; }

  // This machine's address on the network path to the store.
  std::string local_address() const { return lockstep::local_address(socket_); }

 private:
  StoreReply ask(const StoreRequest& request, Seconds timeout);

  Endpoint endpoint_;
  std::string keeper_;  // which rank runs it; empty: not known
  std::mutex mutex_;
  std::atomic<Seconds> answer_timeout_{Seconds{20}};
  Descriptor socket_;
};

std::vector<std::string> numbered_keys(const std::string& prefix,
                                       int count);  // prefix0, prefix1...

}  // namespace lockstep
