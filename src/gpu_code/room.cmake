# SuiteSparse:GraphBLAS is optional: without it the matrix form is missing, the longest path gives the same times. The
# Python package compiles this source again, without it: an object of its own.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/gpu_code/graph/graphblas.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)
if(NOT SPARSECAST_PORTABLE)
  sparsecast_optional_library(graphblas GraphBLAS.h graphblas libgraphblas-dev suitesparse)
endif()
if(GRAPHBLAS_FOUND)
  # A C header with compound literals and empty macro arguments: its own warnings are not ours.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/gpu_code/graph/graphblas.cpp PROPERTIES
    COMPILE_DEFINITIONS SPARSECAST_GRAPHBLAS COMPILE_OPTIONS "-Wno-pedantic;-Wno-conversion;-idirafter;${GRAPHBLAS_INCLUDE_DIR}")
  target_link_libraries(${library} PRIVATE sparsecast::graphblas)
endif()

file(GLOB kernel_times CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/kernel-times/*.json)
sparsecast_embed(${library} kernel_times ${kernel_times})
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/benchmarks/gpu-kernels/*.cu)
if(kernel_sources)
  sparsecast_embed(${library} own_gpu_kernels ${kernel_sources})
endif()
sparsecast_embed(${library} hip_prelude ${PROJECT_SOURCE_DIR}/src/gpu_code/compile/hip_prelude.h)
sparsecast_embed(${library} opencl_prelude ${PROJECT_SOURCE_DIR}/src/gpu_code/compile/opencl_prelude.h)
