# The tests look at the parts that src/hardware/room.cmake decides on; cuda.h, where it is, is compared with our own
# declarations.
if(SPARSECAST_OPENCL_HEADERS)
  target_compile_definitions(test-hardware PRIVATE SPARSECAST_OPENCL)
  target_include_directories(test-hardware SYSTEM PRIVATE ${SPARSECAST_OPENCL_HEADERS})
endif()
if(SPARSECAST_NVCC)
  get_filename_component(cuda_folder ${SPARSECAST_NVCC} DIRECTORY)
  target_include_directories(test-hardware SYSTEM PRIVATE ${cuda_folder}/../include)
endif()
# Stands in for NVIDIA's management library, which few machines have.
add_library(fake-nvml MODULE ${CMAKE_CURRENT_SOURCE_DIR}/hardware/fake_nvml/nvml.cpp)
add_dependencies(test-hardware fake-nvml)
target_compile_definitions(test-hardware PRIVATE SPARSECAST_FAKE_NVML="$<TARGET_FILE:fake-nvml>")
