# SuiteSparse:GraphBLAS is optional: without it the matrix form is missing, the longest path gives the same times.
find_path(GRAPHBLAS_INCLUDE_DIR GraphBLAS.h PATH_SUFFIXES suitesparse)
find_library(GRAPHBLAS_LIBRARY graphblas)
if(GRAPHBLAS_INCLUDE_DIR AND GRAPHBLAS_LIBRARY AND NOT SPARSECAST_PORTABLE)
  message(STATUS "GraphBLAS: ${GRAPHBLAS_LIBRARY}")
  # A C header with compound literals and empty macro arguments: its own warnings are not ours.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/gpu_code/graph/graphblas.cpp PROPERTIES
    COMPILE_DEFINITIONS SPARSECAST_GRAPHBLAS COMPILE_OPTIONS "-Wno-pedantic;-Wno-conversion;-idirafter;${GRAPHBLAS_INCLUDE_DIR}")
  target_link_libraries(sparsecast PRIVATE ${GRAPHBLAS_LIBRARY})
else()
  message(STATUS "GraphBLAS: not found, the matrix form of kernel graphs is left out (libgraphblas-dev)")
endif()

file(GLOB kernel_times CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/kernel-times/*.json)
sparsecast_embed(sparsecast kernel_times ${kernel_times})
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/benchmarks/gpu-kernels/*.cu)
if(kernel_sources)
  sparsecast_embed(sparsecast own_gpu_kernels ${kernel_sources})
endif()
sparsecast_embed(sparsecast opencl_prelude ${PROJECT_SOURCE_DIR}/src/gpu_code/compile/opencl_prelude.h)
