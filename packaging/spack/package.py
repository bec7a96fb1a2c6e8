# For a repository of one's own, as packages/sparsecast/package.py; `spack develop --path SOURCES sparsecast@0.2.0` builds
# what lies in SOURCES.
from spack.package import *


class Sparsecast(CMakePackage):
    """How long sparse code will take, before it runs; and the fastest product for a sparse matrix."""

    license("Apache-2.0")

    version("0.2.0")

    variant("metis", default=True, description="Parts of clusters by METIS")
    variant("mpi", default=True, description="Processes for `sparsecast cluster measure`")
    variant("petsc", default=False, description="Plans within PETSc")
    variant("shared", default=False, description="One shared library of C++")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11")
    depends_on("eigen@3.4:")
    depends_on("fast-float")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("sqlite@3.35:")
    depends_on("zlib-api")
    depends_on("metis", when="+metis")
    depends_on("mpi", when="+mpi")
    depends_on("petsc", when="+petsc")

    def cmake_args(self):
        return [self.define("SPARSECAST_TESTS", False), self.define_from_variant("BUILD_SHARED_LIBS", "shared")]
