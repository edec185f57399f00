# package.py: a Spack package that builds lockstep from source.
#
#   spack repo add packaging/spack
#   spack dev-build lockstep@main        (in a clone)
#
# Tested: Spack of October 2024 resolves the package (spack spec lockstep) with every library given as
# an external. Not tested: Spack's own versions of them, and a build by Spack. The same CMake options are, by ./run build.
from spack.package import *


class Lockstep(CMakePackage):
    """Measures how fast clusters train convolutional networks with synchronous SGD."""

    license("Apache-2.0")
    version("main", branch="main")

    variant("mpi", default=True, description="MPI communicator")
    variant("simgrid", default=False, description="message-level simulation")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    for library in ["onednn@2.6:2", "highway@1.0:", "hwloc@2:", "gloo", "cli11@2:", "fmt@9:",
                    "nlohmann-json", "tomlplusplus", "re2", "jpeg", "zlib-api"]:
        depends_on(library)
    depends_on("mpi", when="+mpi")
    depends_on("simgrid", when="+simgrid")

    def cmake_args(self):
        return [self.define_from_variant("LOCKSTEP_MPI", "mpi"),
                self.define_from_variant("LOCKSTEP_SIMGRID", "simgrid"),
                self.define("BUILD_TESTING", False)]
