# Installs the product into a folder of the build and builds a program against it through find_package.
add_test(NAME install.consumer
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/consumer_test.sh ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/install/consumer)
set_tests_properties(install.consumer PROPERTIES TIMEOUT 300 LABELS install)
