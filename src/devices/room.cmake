# Descriptions of devices, present or not: profiles/devices/<name>.json.
file(GLOB device_descriptions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/devices/*.json)
sparsecast_embed(sparsecast devices ${device_descriptions})

# The kernel texts, for the compilers of OpenCL drivers.
file(GLOB gpu_kernel_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/devices/kernels/*.cl
     ${PROJECT_SOURCE_DIR}/src/devices/kernels/*.h)
sparsecast_embed(sparsecast gpu_kernels ${gpu_kernel_texts})

# OpenCL: the headers are needed here; the loader library is opened at run time.
find_path(SPARSECAST_OPENCL_HEADERS CL/cl.h)
if(SPARSECAST_OPENCL_HEADERS)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/devices/opencl/*.cpp)
  target_sources(sparsecast PRIVATE ${sources})
  target_include_directories(sparsecast SYSTEM PRIVATE ${SPARSECAST_OPENCL_HEADERS})
  target_compile_definitions(sparsecast PRIVATE SPARSECAST_OPENCL)
  message(STATUS "OpenCL devices: headers in ${SPARSECAST_OPENCL_HEADERS}")
else()
  message(STATUS "OpenCL devices: not built (install opencl-headers)")
endif()
