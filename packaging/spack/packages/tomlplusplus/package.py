# package.py: toml++, a library of lockstep that Spack itself has no package of.
from spack.package import *


class Tomlplusplus(CMakePackage):
    """TOML parser and serializer for C++17, headers only."""

    homepage = "https://marzer.github.io/tomlplusplus/"
    git = "https://github.com/marzer/tomlplusplus.git"

    license("MIT")
    version("3.4.0", tag="v3.4.0")
    version("3.3.0", tag="v3.3.0")

    depends_on("cxx", type="build")
    depends_on("cmake@3.14:", type="build")
