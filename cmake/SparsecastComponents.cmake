# The libraries that the folders of src/ make up, from the lowest to the highest: sparsecast::<name>, what each stands on,
# and the answers in it (files of src/answers/ whose names begin so; all others are core's).
# Sources are globbed so that a new format, model or device is one new file and one registration line. What a folder needs
# beyond that (optional packages, generated files) stands in its own room.cmake, for the target ${library}.
set(SPARSECAST_KNOWN core gpu pages solve cluster traffic gpu_code)
set(core_folders fields base matrix formats hardware calibration forecast planning answers)
set(gpu_folders hardware/gpu)
foreach(component IN ITEMS pages cluster gpu_code)
  set(${component}_folders ${component})
endforeach()
set(solve_folders solving)
set(traffic_folders memory_traffic)
set(core_needs "")
foreach(component IN ITEMS gpu pages solve traffic)
  set(${component}_needs core)
endforeach()
set(cluster_needs core solve)
set(gpu_code_needs core gpu)
set(pages_answers page)
set(solve_answers solve|compare|plan_report)  # the latter two tell of iterations as well
set(cluster_answers cluster)
set(traffic_answers traffic)
set(gpu_code_answers kernel)
set(not_of_core "/hardware/gpu/|/answers/(${pages_answers}|${solve_answers}|${cluster_answers}|${traffic_answers}|${gpu_code_answers})")

set(SPARSECAST_COMPONENTS "" CACHE STRING "Libraries to build, of ${SPARSECAST_KNOWN} (all where empty)")
set(SPARSECAST_ONLY_ROOMS "" CACHE STRING "Folders of core to build, from the lowest up, without a command (all where empty)")
set(wanted ${SPARSECAST_COMPONENTS})
if(SPARSECAST_ONLY_ROOMS)
  set(core_folders ${SPARSECAST_ONLY_ROOMS})
  set(wanted core)
  if(hardware IN_LIST SPARSECAST_ONLY_ROOMS)
    list(APPEND wanted gpu)
  endif()
elseif(NOT wanted)
  set(wanted ${SPARSECAST_KNOWN})
endif()
set(unknown ${wanted})
list(REMOVE_ITEM unknown ${SPARSECAST_KNOWN})
if(unknown)
  message(FATAL_ERROR "SPARSECAST_COMPONENTS: no library is called ${unknown}; there are ${SPARSECAST_KNOWN}")
endif()
# With what those stand on.
set(components "")
set(from_above ${SPARSECAST_KNOWN})
list(REVERSE from_above)
foreach(component IN LISTS from_above)
  if(component IN_LIST wanted)
    list(PREPEND components ${component})
    list(APPEND wanted ${${component}_needs})
  endif()
endforeach()

# Not a function: what room.cmake finds is used elsewhere.
add_library(sparsecast INTERFACE)  # all of them
add_library(sparsecast::sparsecast ALIAS sparsecast)
foreach(component IN LISTS components)
  set(library sparsecast-${component})
  add_library(${library} STATIC)
  add_library(sparsecast::${component} ALIAS ${library})
  target_link_libraries(sparsecast INTERFACE ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${component} CXX_VISIBILITY_PRESET hidden
                                              VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${library}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
           $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${library} PUBLIC cxx_std_20)
  # Whoever links the installed library needs what is to be linked, and no headers.
  target_link_libraries(${library} PRIVATE fmt::fmt OpenMP::OpenMP_CXX $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
                                           $<BUILD_INTERFACE:Eigen3::Eigen>)
  foreach(below IN LISTS ${component}_needs)
    target_link_libraries(${library} PUBLIC sparsecast-${below})
  endforeach()
  sparsecast_compile(${library})
  foreach(room IN LISTS ${component}_folders)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
    list(FILTER sources EXCLUDE REGEX "/cluster/rank/|/gpu/opencl/")  # their room.cmake decides on them
    if(component STREQUAL core)
      list(FILTER sources EXCLUDE REGEX ${not_of_core})
    endif()
    target_sources(${library} PRIVATE ${sources})
    include(${PROJECT_SOURCE_DIR}/src/${room}/room.cmake OPTIONAL)
  endforeach()
  if(DEFINED ${component}_answers)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/answers/*.cpp)
    list(FILTER sources INCLUDE REGEX "/answers/(${${component}_answers})")
    target_sources(${library} PRIVATE ${sources})
  endif()
  # JSON and formatting headers are the slow part of most files; compiled once for all libraries.
  if(component STREQUAL core)
    target_link_libraries(${library} PRIVATE ZLIB::ZLIB SQLite::SQLite3 ${CMAKE_DL_LIBS})
    target_precompile_headers(${library} PRIVATE <nlohmann/json.hpp> <fmt/format.h> <algorithm> <string> <vector> <span>)
  else()
    target_precompile_headers(${library} REUSE_FROM sparsecast-core)
  endif()
  sparsecast_unity(${library} 12)
endforeach()

# One shared library of all that is built, for who asks CMake for shared ones (BUILD_SHARED_LIBS): of it programs see what
# include/ declares, and the libraries within it see each other.
if(BUILD_SHARED_LIBS AND NOT SPARSECAST_ONLY_ROOMS)
  list(TRANSFORM components PREPEND sparsecast- OUTPUT_VARIABLE within)
  list(TRANSFORM within REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/shared.cpp CONTENT "")
  add_library(sparsecast-shared SHARED ${PROJECT_BINARY_DIR}/generated/shared.cpp)
  target_link_libraries(sparsecast-shared PRIVATE ${within})
  target_link_options(sparsecast-shared PRIVATE LINKER:--whole-archive ${archives} LINKER:--no-whole-archive)
  target_include_directories(sparsecast-shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(sparsecast-shared PUBLIC cxx_std_20)
  set_target_properties(sparsecast-shared PROPERTIES OUTPUT_NAME sparsecast EXPORT_NAME sparsecast
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
