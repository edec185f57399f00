// mpi_absent.cpp: a program without MPI.
#include "base/error.h"
#include "comm/mpi.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse() {
  throw UsageError(
      "this lockstep was built without MPI: let it start mpirun itself (--launcher mpirun), use "
      "--hosts, or build it with MPI (install libopenmpi-dev, then './run build')");
}

}  // namespace

bool has_mpi() { return false; }
std::string mpi_library_version() { return ""; }

MpiSession::MpiSession(const std::vector<std::string>&) : exceptions_(0) { refuse(); }
MpiSession::~MpiSession() { static_cast<void>(exceptions_); }  // there is none to end
std::string MpiSession::from_rank_0(const std::string&) { refuse(); }
std::vector<std::string> MpiSession::from_all(const std::string&) { refuse(); }

std::unique_ptr<Communicator> make_mpi(const Roster&, const CommOptions&, Store&) { refuse(); }

}  // namespace lockstep
