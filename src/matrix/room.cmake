# Generated matrices are the same to the last bit on every machine: no fused multiply-adds in what decides them.
file(GLOB generator_sources ${PROJECT_SOURCE_DIR}/src/matrix/generate/*.cpp)
set_source_files_properties(${generator_sources} PROPERTIES COMPILE_OPTIONS -ffp-contract=off)

# Matrices by name, and files compressed by bzip2, xz and zstd. Not in a portable build, which links nothing that its
# user may lack.
if(NOT SPARSECAST_PORTABLE)
  sparsecast_optional_library(curl curl/curl.h curl libcurl4-openssl-dev)
  sparsecast_optional_library(archive archive.h archive libarchive-dev)
endif()
set(matrix_folder ${PROJECT_SOURCE_DIR}/src/matrix)
if(CURL_FOUND)
  set_source_files_properties(${matrix_folder}/collection/download.cpp PROPERTIES COMPILE_DEFINITIONS SPARSECAST_HAS_CURL)
  target_link_libraries(sparsecast PRIVATE sparsecast::curl)
endif()
if(ARCHIVE_FOUND)
  set_source_files_properties(${matrix_folder}/collection/archive_member.cpp
    ${matrix_folder}/io/decompress_by_libarchive.cpp PROPERTIES COMPILE_DEFINITIONS SPARSECAST_HAS_ARCHIVE)
  target_link_libraries(sparsecast PRIVATE sparsecast::archive)
endif()
