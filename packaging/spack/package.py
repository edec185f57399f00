# package.py: a Spack package that builds lockstep from source.
#
#   spack repo create lockstep-repo && mkdir -p lockstep-repo/packages/lockstep
#   cp packaging/spack/package.py lockstep-repo/packages/lockstep && spack repo add lockstep-repo
#   spack dev-build lockstep@main        (in a clone)
#
# Not installed here, for want of Spack. Its options are those of CMakeLists.txt; the build without
# MPI is tested.
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
    for library in ["onednn@2.6:2", "highway@1.0:", "hwloc@2:", "gloo", "cli11", "fmt@9:",
                    "nlohmann-json", "tomlplusplus", "re2", "libjpeg-turbo", "zlib-api"]:
        depends_on(library)
    depends_on("mpi", when="+mpi")
    depends_on("simgrid", when="+simgrid")

    def cmake_args(self):
        return [self.define_from_variant("LOCKSTEP_MPI", "mpi"), self.define("BUILD_TESTING", False)]
