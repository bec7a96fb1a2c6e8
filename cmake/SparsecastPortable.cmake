# Preset portable: one executable that needs nothing but the system's C library, to be copied to a bare node. Drivers
# (OpenCL, CUDA) and vendors' libraries are opened at run time where they are; glibc itself stays shared, because a
# static program cannot open libraries.

set(CMAKE_FIND_LIBRARY_SUFFIXES .a)  # an optional library that is there only as shared counts as not found
string(APPEND CMAKE_EXE_LINKER_FLAGS " -static-libstdc++ -static-libgcc -Wl,--as-needed")
# Libraries named after OpenMP's use it too (libsvm): it stands once more at the end of the line.
string(APPEND CMAKE_CXX_STANDARD_LIBRARIES " -l:libgomp.a")
# Message passing cannot be linked statically; its find module does not go by suffixes.
set(CMAKE_DISABLE_FIND_PACKAGE_MPI ON)

# Debian ships fmt as a shared library only: its headers are compiled in instead, and the linker drops the library as
# not needed.
find_package(fmt REQUIRED)
set_target_properties(fmt::fmt PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
