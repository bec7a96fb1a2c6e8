# Matrices that several test files of this folder share.
target_sources(test-formats PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/formats/awkward_matrices.cpp)

# The worked example of docs/extending-kernel.md: a new kernel is a file and a line. The table of kernels is compiled once more
# with that line, and the program's own takes the place of the library's.
find_program(PATCH patch)
if(PATCH)
  set(new_kernel ${CMAKE_CURRENT_SOURCE_DIR}/formats/new_kernel)
  set(kernel_list ${CMAKE_CURRENT_BINARY_DIR}/new_kernel/formats/kernel_list.hpp)
  add_custom_command(OUTPUT ${kernel_list}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/src/formats/kernel_list.hpp ${kernel_list}
    COMMAND ${PATCH} --quiet ${kernel_list} ${new_kernel}/kernel_list.diff
    DEPENDS ${PROJECT_SOURCE_DIR}/src/formats/kernel_list.hpp ${new_kernel}/kernel_list.diff VERBATIM)
  add_executable(test-new-kernel ${kernel_list} ${new_kernel}/csr_pairs.cpp ${new_kernel}/new_kernel_test.cpp
    ${PROJECT_SOURCE_DIR}/src/formats/kernels.cpp ${CMAKE_CURRENT_SOURCE_DIR}/formats/host_kernels_test.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/formats/awkward_matrices.cpp)
  target_include_directories(test-new-kernel BEFORE PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/new_kernel)
  target_link_libraries(test-new-kernel PRIVATE test-support)
  sparsecast_compile(test-new-kernel)
  sparsecast_compile_lightly(test-new-kernel)
  # The other kernels are those of test-formats.
  gtest_discover_tests(test-new-kernel DISCOVERY_MODE PRE_TEST TEST_PREFIX new-kernel.
    TEST_FILTER ANewKernel.*:HostKernels.*:*/csr_pairs
    PROPERTIES TIMEOUT 600 LABELS formats ENVIRONMENT_MODIFICATION GOMP_SPINCOUNT=set:1000)
else()
  message(STATUS "test-new-kernel is not built: no patch")
endif()
