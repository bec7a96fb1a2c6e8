# The version of the project, for the one file that holds it against version.hpp.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/version.cpp PROPERTIES
  COMPILE_DEFINITIONS SPARSECAST_VERSION="${PROJECT_VERSION}" SKIP_PRECOMPILE_HEADERS ON)
# The schemas of documents that are read: their readers check the numbers by them.
set(read_schemas cluster-profile device-properties kernel-graph kernel-times plan profile)
list(TRANSFORM read_schemas PREPEND ${PROJECT_SOURCE_DIR}/docs/schemas/)
list(TRANSFORM read_schemas APPEND .schema.json)
sparsecast_embed(${library} schemas ${read_schemas})
