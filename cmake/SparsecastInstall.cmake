# Installation and the find_package(sparsecast) export.
include(CMakePackageConfigHelpers)

install(TARGETS sparsecast EXPORT sparsecast-targets)
install(TARGETS sparsecast-command)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sparsecast-targets NAMESPACE sparsecast:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sparsecast)
get_property(SPARSECAST_LINKED GLOBAL PROPERTY SPARSECAST_LINKED)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sparsecast-config.cmake.in
  ${PROJECT_BINARY_DIR}/sparsecast-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sparsecast)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sparsecast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparsecast-config.cmake ${PROJECT_BINARY_DIR}/sparsecast-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/SparsecastLibraries.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sparsecast)
