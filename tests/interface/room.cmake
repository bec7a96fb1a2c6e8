# Every public header by itself: one source per header, which includes it twice, compiled with nothing but include/ in
# the path. All of them are linked into the room's tests, where a definition that is not inline would stand twice.
set(include_folder ${PROJECT_SOURCE_DIR}/include)
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE ${include_folder} ${include_folder}/*.hpp)
set(alone_sources "")
foreach(header IN LISTS public_headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/interface/${name}_alone.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\n" @ONLY)
  list(APPEND alone_sources ${source})
endforeach()
add_library(interface-headers OBJECT ${alone_sources})
target_include_directories(interface-headers PRIVATE ${include_folder})
target_compile_features(interface-headers PRIVATE cxx_std_20)
target_compile_options(interface-headers PRIVATE -Wall -Wextra -Wpedantic -Werror)

target_sources(test-interface PRIVATE interface/examples.cpp interface/measured_host.cpp)
target_link_libraries(test-interface PRIVATE interface-headers)
target_compile_definitions(test-interface PRIVATE
  SPARSECAST_BUILD_DIR="${PROJECT_BINARY_DIR}" SPARSECAST_VERSION="${PROJECT_VERSION}" CMAKE_PROGRAM="${CMAKE_COMMAND}"
  CONSUMER_COMPILER="${CMAKE_CXX_COMPILER}" CONSUMER_FLAGS="${CMAKE_CXX_FLAGS}")
