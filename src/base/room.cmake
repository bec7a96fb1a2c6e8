# JSON and formatting headers are the slow part of most files; compiled once for the whole library.
target_precompile_headers(sparsecast PRIVATE <nlohmann/json.hpp> <fmt/format.h> <algorithm> <string> <vector> <span>)
# The version of the project, for the one file that holds it against version.hpp.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/version.cpp PROPERTIES
  COMPILE_DEFINITIONS SPARSECAST_VERSION="${PROJECT_VERSION}" SKIP_PRECOMPILE_HEADERS ON)
