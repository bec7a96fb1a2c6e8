# Installation and the find_package(sparsecast) export.
include(CMakePackageConfigHelpers)

set(sparsecast_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/sparsecast)
set(needs "")
if(BUILD_SHARED_LIBS)
  install(TARGETS sparsecast-shared EXPORT sparsecast-targets)
  install(EXPORT sparsecast-targets NAMESPACE sparsecast:: DESTINATION ${sparsecast_cmake})
else()
  set(BUILD_SHARED_LIBS OFF)
  foreach(component IN LISTS components)  # each with a file of its own: a program loads those that it names
    install(TARGETS sparsecast-${component} EXPORT sparsecast-${component}-targets)
    install(EXPORT sparsecast-${component}-targets NAMESPACE sparsecast:: DESTINATION ${sparsecast_cmake})
    string(APPEND needs "  set(sparsecast_${component}_needs ${${component}_needs})\n")
  endforeach()
endif()
install(TARGETS sparsecast-command)
set(command_texts ${PROJECT_BINARY_DIR}/src/app/texts)  # src/app/CMakeLists.txt
install(DIRECTORY ${command_texts}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${command_texts}/sparsecast DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
install(FILES ${command_texts}/_sparsecast DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
install(FILES ${command_texts}/sparsecast.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
# What a user reads: the licence, the schemas of all documents, examples, what was changed and what is promised.
install(FILES LICENSE README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES src/pages/assets/d3.LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})  # drawn with in pages
install(DIRECTORY docs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/sparsecast FILES_MATCHING PATTERN "*.json")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY profiles/platforms DESTINATION ${CMAKE_INSTALL_DATADIR}/sparsecast)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
get_property(SPARSECAST_LINKED GLOBAL PROPERTY SPARSECAST_LINKED)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sparsecast-config.cmake.in
  ${PROJECT_BINARY_DIR}/sparsecast-config.cmake INSTALL_DESTINATION ${sparsecast_cmake})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sparsecast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparsecast-config.cmake ${PROJECT_BINARY_DIR}/sparsecast-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/SparsecastLibraries.cmake
  DESTINATION ${sparsecast_cmake})

# `cpack -G DEB` in the build folder; scripts/make-package does it, with the bill of materials. Dates come from
# SOURCE_DATE_EPOCH, so that the same source gives the same bytes.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sparsecast)
set(CPACK_PACKAGE_VENDOR "Sparsecast")
set(CPACK_PACKAGE_CONTACT "the Sparsecast developers <sparsecast@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4, libarchive13")  # opened where they are: the collection of matrices
# pocl is opened where it is; behind it stands what C++'s static libraries are linked with.
string(CONCAT CPACK_DEBIAN_PACKAGE_SUGGESTS "octave, clang, openmpi-bin, pocl-opencl-icd, libfmt-dev, nlohmann-json3-dev, "
       "libeigen3-dev, libmetis-dev, libsvm-dev, libspng-dev, zlib1g-dev, libsqlite3-dev, libhwloc-dev, libgraphblas-dev, "
       "petsc-dev")
include(CPack)
