# The formats folder: functions begin with a cache line, and loops at the same place of it in every build. Where the linker
# puts a loop otherwise decides what the branch predictor makes of it: csr-scalar took 13.8 µs on netlib_dfl001 in two
# builds and 51.9 in the next, whose functions lay 16 bytes further on. Loops that begin with a line themselves were
# slow as well; with these it took 13.7 to 14.1 at seven places.
file(GLOB_RECURSE format_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/formats/*.cpp)
set_source_files_properties(${format_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties(${format_sources} PROPERTIES
    COMPILE_OPTIONS "-falign-functions=64;-falign-loops=16;-falign-jumps=16")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)  # unset values in its own AVX-512 header: GCC's bug 105593
    set_property(SOURCE ${format_sources} APPEND PROPERTY COMPILE_OPTIONS -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
endif()
# Vectors of eight doubles are passed between functions that are always inlined alone.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/formats/simd/vector_loops.cpp APPEND PROPERTY COMPILE_OPTIONS -Wno-psabi)
# A product does a few instructions for every entry of arrays that its conversion made. There the assertions of the
# standard library's spans cost csr-scalar an eighth (docs/reliability.md).
if(SPARSECAST_HARDENED)
  set_property(SOURCE ${format_sources} APPEND PROPERTY COMPILE_OPTIONS -U_GLIBCXX_ASSERTIONS)
  set_source_files_properties(${format_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)  # which has them
endif()
