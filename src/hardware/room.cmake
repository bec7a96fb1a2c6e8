# Descriptions of devices, present or not: profiles/devices/<name>.json.
file(GLOB device_descriptions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/devices/*.json)
sparsecast_embed(${library} devices ${device_descriptions})

# hwloc: sockets, memories and caches. Its static library wants more than a bare node has. The Python package compiles
# this source again, without it: an object of its own.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/hardware/host/topology.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)
if(NOT SPARSECAST_PORTABLE)
  sparsecast_optional_library(hwloc hwloc.h hwloc libhwloc-dev)
endif()
if(HWLOC_FOUND)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/hardware/host/topology.cpp PROPERTIES
    COMPILE_DEFINITIONS SPARSECAST_HAS_HWLOC COMPILE_OPTIONS "-idirafter;${HWLOC_INCLUDE_DIR}")
  target_link_libraries(${library} PRIVATE sparsecast::hwloc)
endif()
