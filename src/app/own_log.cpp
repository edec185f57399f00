#include "app/own_log.h"

#include <fmt/format.h>

#include <mutex>
#include <ostream>
#include <streambuf>

#include "base/host_name.h"
#include "launch/run_logs.h"
#include "process/output_log.h"

namespace lockstep {
namespace {

// The log of both streams, which may be written by different threads.
class SharedLog {
 public:
  SharedLog(const std::string& directory, const std::string& name) : log_(directory, name) {}

  void add(std::string_view bytes) {
    const std::scoped_lock lock(mutex_);
    log_.add(bytes);
  }
  const std::string& trouble() const { return log_.trouble(); }

 private:
  std::mutex mutex_;
  OutputLog log_;
};

// Passes everything on to a stream, and to the log.
class LoggedStream : public std::streambuf {
 public:
  LoggedStream(std::ostream& target, SharedLog& log) : target_(target), log_(log) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    log_.add({text, static_cast<size_t>(count)});
    return target_.rdbuf()->sputn(text, count);
  }
  int_type overflow(int_type letter) override {
    if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
    const char text = traits_type::to_char_type(letter);
    return xsputn(&text, 1) == 1 ? letter : traits_type::eof();
  }
  int sync() override { return target_.flush() ? 0 : -1; }

 private:
  std::ostream& target_;
  SharedLog& log_;
};

}  // namespace

int with_own_log(RunContext& context, const RunConfig& config, int rank,
                 const std::function<int(RunContext&)>& run) {
  const RunLogs directory({.directory = config.log_dir, .name = {}}, context.err);
  SharedLog log(directory.directory(), fmt::format("rank {} {}", rank, host_name()));
  LoggedStream out_buffer(context.out, log), err_buffer(context.err, log);
  std::ostream out(&out_buffer), err(&err_buffer);
  RunContext logged = with_streams(context, out, err);
  try {
    const int code = run(logged);
    if (!out.flush()) context.out.setstate(std::ios::badbit);
    if (!log.trouble().empty()) {
      context.err << "note: the log in " << config.log_dir << " is incomplete: " << log.trouble()
                  << "\n";
    }
    return code;
  } catch (const std::exception& error) {  // main prints it, after the log is closed
    log.add(fmt::format("lockstep: {}\n", error.what()));
    throw;
  }
}

}  // namespace lockstep
