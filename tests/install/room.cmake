# Installs the product into a folder of the build and builds a program against it through find_package.
add_test(NAME install.consumer
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/consumer_test.sh ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/install/consumer)
set_tests_properties(install.consumer PROPERTIES TIMEOUT 300 LABELS install)

add_test(NAME install.release
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/release_test.sh ${PROJECT_SOURCE_DIR}/scripts/release)
add_test(NAME install.packaging COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/packaging_test.sh ${PROJECT_SOURCE_DIR})
add_test(NAME install.later_glibc COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/later_glibc_test.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(install.release install.packaging install.later_glibc PROPERTIES TIMEOUT 30 LABELS install)

# The Python package: its wheel is built on these libraries and installed into an environment of its own, where each file
# of tests is one test. Sanitizers, which Python itself would have to be built with, are for the library.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND NOT SPARSECAST_PORTABLE)
  add_test(NAME python.package COMMAND ${PROJECT_SOURCE_DIR}/scripts/test-python --build)
  set_tests_properties(python.package PROPERTIES TIMEOUT 900 LABELS python SKIP_RETURN_CODE 77 COST 1000
    FIXTURES_SETUP python_package ENVIRONMENT SPARSECAST_BUILT=${PROJECT_BINARY_DIR})
  function(python_test name)  # NAME PYTEST-ARGUMENTS…
    add_test(NAME python.${name} COMMAND ${PROJECT_SOURCE_DIR}/scripts/test-python --built ${ARGN})
    set_tests_properties(python.${name} PROPERTIES TIMEOUT 600 LABELS python SKIP_RETURN_CODE 77 COST 100
      FIXTURES_REQUIRED "python_package;measured" ENVIRONMENT SPARSECAST_MEASURED=${measured})
  endfunction()
  python_test(doctests --doctest-modules --doctest-ignore-import-errors --pyargs sparsecast)
  file(GLOB python_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/tests/test_*.py)
  # Those that take little longer than Python, SciPy and the package take to start are one test.
  set(quick lifetime neighbours pairs plan plot powers refusals solvers tensors tuning wheel words)
  list(TRANSFORM quick REPLACE ".+" "${PROJECT_SOURCE_DIR}/python/tests/test_\\0.py")
  list(REMOVE_ITEM python_tests ${quick})
  python_test(quick ${quick})
  foreach(file IN LISTS python_tests)
    cmake_path(GET file STEM name)
    string(REPLACE test_ "" name ${name})
    python_test(${name} ${file})
  endforeach()
endif()
