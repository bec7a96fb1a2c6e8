# Static libraries give what is asked of them: programs ask for drivers.cpp, which makes the devices known to core.
target_link_options(${library} INTERFACE LINKER:-u,sparsecast_gpu_drivers)

# The kernel texts, for the compilers of OpenCL drivers.
file(GLOB gpu_kernel_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hardware/gpu/kernels/*.cl
     ${PROJECT_SOURCE_DIR}/src/hardware/gpu/kernels/*.h)
sparsecast_embed(${library} gpu_kernels ${gpu_kernel_texts})

# OpenCL: the headers are needed here; the loader library is opened at run time.
find_path(SPARSECAST_OPENCL_HEADERS CL/cl.h)
if(SPARSECAST_OPENCL_HEADERS)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hardware/gpu/opencl/*.cpp)
  target_sources(${library} PRIVATE ${sources})
  target_include_directories(${library} SYSTEM PRIVATE ${SPARSECAST_OPENCL_HEADERS})
  target_compile_definitions(${library} PRIVATE SPARSECAST_OPENCL)
endif()
sparsecast_part("OpenCL devices" "${SPARSECAST_OPENCL_HEADERS}" opencl-headers)

# CUDA: the driver is opened at run time, so this part is always there. Where nvcc is found the kernels are compiled for
# the architectures named, with PTX of the oldest for those that come later.
set(SPARSECAST_CUDA_ARCHITECTURES 75 80 90 CACHE STRING "CUDA compute capabilities that kernels are compiled for")
find_program(SPARSECAST_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
if(SPARSECAST_NVCC)
  list(GET SPARSECAST_CUDA_ARCHITECTURES 0 oldest)
  set(generate -gencode=arch=compute_${oldest},code=compute_${oldest})
  foreach(architecture IN LISTS SPARSECAST_CUDA_ARCHITECTURES)
    list(APPEND generate -gencode=arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  set(cuda_binary ${PROJECT_BINARY_DIR}/generated/kernels.fatbin)
  file(GLOB cuda_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hardware/gpu/kernels/*)
  add_custom_command(
    OUTPUT ${cuda_binary}
    COMMAND ${SPARSECAST_NVCC} -fatbin -std=c++17 -O3 ${generate} -o ${cuda_binary}
            ${PROJECT_SOURCE_DIR}/src/hardware/gpu/kernels/kernels.cu
    DEPENDS ${cuda_texts}
    COMMENT "Compiling the CUDA kernels for ${SPARSECAST_CUDA_ARCHITECTURES}"
    VERBATIM)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/hardware/gpu/cuda/kernel_binary.cpp PROPERTIES
    OBJECT_DEPENDS ${cuda_binary} COMPILE_DEFINITIONS SPARSECAST_CUDA_BINARY="${cuda_binary}")
endif()
sparsecast_part("compiled CUDA kernels" "${SPARSECAST_NVCC}" "no nvcc; CUDA's run-time compiler is used where it is")
