# Installation and the find_package(sparsecast) export.
include(CMakePackageConfigHelpers)

install(TARGETS sparsecast EXPORT sparsecast-targets)
install(TARGETS sparsecast-command)
set(command_texts ${PROJECT_BINARY_DIR}/src/app/texts)  # src/app/CMakeLists.txt
install(DIRECTORY ${command_texts}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${command_texts}/sparsecast DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
install(FILES ${command_texts}/_sparsecast DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
install(FILES ${command_texts}/sparsecast.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sparsecast-targets NAMESPACE sparsecast:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sparsecast)
get_property(SPARSECAST_LINKED GLOBAL PROPERTY SPARSECAST_LINKED)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sparsecast-config.cmake.in
  ${PROJECT_BINARY_DIR}/sparsecast-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sparsecast)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sparsecast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparsecast-config.cmake ${PROJECT_BINARY_DIR}/sparsecast-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/SparsecastLibraries.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sparsecast)
