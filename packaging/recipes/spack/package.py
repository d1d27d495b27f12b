from spack.package import *


class Quern(CMakePackage):
    """Compute kit for structural biology: docking, screening, trajectories, cryo-EM, soft tissue, fused kernels, on any
    CPU or GPU."""

    license("Apache-2.0")

    version("main", branch="main")

    variant("shared", default=True, description="Build libquern.so instead of libquern.a")
    variant("mpi", default=True, description="Run in several processes")
    variant("python", default=True, description="Install the package for Python", when="+shared")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zlib-api")
    depends_on("jansson")
    depends_on("libyaml")
    depends_on("sqlite@3.24:")
    depends_on("libtiff@4.5:")
    depends_on("qhull+shared")
    depends_on("expat@2.4:")
    depends_on("metis")
    depends_on("gemmi")
    depends_on("pegtl", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")
    depends_on("fftw precision=float", type="run")
    depends_on("hdf5", type="run")

    extends("python", when="+python")
    generator("ninja")

    def cmake_args(self):
        made = [self.define_from_variant("BUILD_SHARED_LIBS", "shared"), self.define("BUILD_TESTING", False)]
        made.append(self.define("MUMPS_LIBRARY", ""))
        if "~mpi" in self.spec:
            made.append(self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", True))
        return made

    @run_after("install", when="+python")
    def install_python(self):
        with working_dir(join_path(self.build_directory, "python")):
            install_tree("quern", join_path(python_platlib, "quern"), ignore=lambda name: name.endswith(".so"))
