# Generated matrices are the same to the last bit on every machine: no fused multiply-adds in what decides them.
file(GLOB generator_sources ${PROJECT_SOURCE_DIR}/src/matrix/generate/*.cpp)
set_source_files_properties(${generator_sources} PROPERTIES COMPILE_OPTIONS -ffp-contract=off)

# Matrices by name, and files compressed by bzip2, xz and zstd: the build needs the headers alone, the libraries are opened
# when they are needed. The headers may lie where no compiler looks by itself, those of another machine or in an
# environment; looked at last, for a system's own folder named first hides C's headers from clang's.
find_path(CURL_INCLUDE_DIR curl/curl.h)
sparsecast_part(curl "${CURL_INCLUDE_DIR}" libcurl4-openssl-dev)
find_path(ARCHIVE_INCLUDE_DIR archive.h)
sparsecast_part(archive "${ARCHIVE_INCLUDE_DIR}" libarchive-dev)
set(matrix_folder ${PROJECT_SOURCE_DIR}/src/matrix)
if(CURL_INCLUDE_DIR)
  set_source_files_properties(${matrix_folder}/collection/download.cpp
    PROPERTIES COMPILE_DEFINITIONS SPARSECAST_HAS_CURL COMPILE_OPTIONS "-idirafter;${CURL_INCLUDE_DIR}")
endif()
if(ARCHIVE_INCLUDE_DIR)
  set_source_files_properties(${matrix_folder}/collection/archive_member.cpp
    ${matrix_folder}/io/packed/decompress_by_libarchive.cpp ${matrix_folder}/io/packed/libarchive.cpp
    PROPERTIES COMPILE_DEFINITIONS SPARSECAST_HAS_ARCHIVE COMPILE_OPTIONS "-idirafter;${ARCHIVE_INCLUDE_DIR}")
endif()
# Pictures as PNG.
sparsecast_optional_library(spng spng.h spng libspng-dev)
if(SPNG_FOUND)
  target_link_libraries(${library} PRIVATE sparsecast::spng)
  set_source_files_properties(${matrix_folder}/view/grey_image.cpp PROPERTIES COMPILE_DEFINITIONS SPARSECAST_HAS_SPNG)
endif()
