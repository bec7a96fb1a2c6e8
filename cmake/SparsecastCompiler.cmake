# Compiler settings that every target of the project shares.

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # pch_defines and time_macros are what ccache asks for so that it may cache users of a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# What users run: overflows of known buffers, of the stack and of the standard library's containers end the program.
# docs/reliability.md has what that costs. Paths of the build do not get into the bytes.
if(SPARSECAST_HARDENED)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection
                      -D_GLIBCXX_ASSERTIONS -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    add_compile_options(-mbranch-protection=standard)
  else()
    add_compile_options(-fcf-protection)
  endif()
  add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

# A first look need not wait for what it does not show: ON optimizes less what does not loop over a matrix, and lets GCC use
# half a gigabyte before it collects garbage, which takes a tenth off its time. What ships is built with OFF.
option(SPARSECAST_QUICK_BUILD "Optimize what does not loop over a matrix less (preset core)" OFF)
set(sparsecast_lightly "memory_traffic|cluster_launch|pages")  # they wait for files and other programs, or write text
if(SPARSECAST_QUICK_BUILD)
  string(APPEND sparsecast_lightly
    "|answers|base_(guard|page)|calibration|forecast|hardware_[0-9]|matrix_collection|planning")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(--param=ggc-min-heapsize=524288)
  endif()
endif()

# What is downloaded: code in which no products are is compiled for size, and what nothing calls is left out.
set(sparsecast_small "answers|base_guard|calibration$|calibration_plan")
string(APPEND sparsecast_small "|cluster_(described|launch|machine|models|scheme)|fields|forecast_machines|gpu_code")
string(APPEND sparsecast_small "|hardware$|hardware_gpu|matrix_(collection|view)|memory_traffic|pages")
string(APPEND sparsecast_small "|solving$|solving_forecast")
if(SPARSECAST_SMALL)
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections)
endif()

function(sparsecast_compile target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion)
  # GCC 12 sees overlaps and overflows in std::string's own operator+: its bug 105651.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
  endif()
  if(SPARSECAST_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# For code around the library in which no time is spent (the command's own sources, the tests): in a release build half of
# the time of compiling them would go into optimizing JSON and option parsing.
function(sparsecast_compile_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:$<IF:$<BOOL:${SPARSECAST_SMALL}>,-Os,-O1>>)
endfunction()

# Files of one folder are compiled together, up to so many at a time: three quarters of the time of a clean build went into
# the same templates of the standard library, JSON and formatting, once for every file. A file with flags of its own
# (src/formats) stays alone. OFF rebuilds less after an edit of one file; both ways must compile.
option(SPARSECAST_UNITY "Compile the files of a folder together" ON)
function(sparsecast_unity target files_at_a_time)
  if(NOT SPARSECAST_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # The file that includes the others is none of theirs, so GCC takes their unnamed namespaces for those of headers.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}")  # embedded texts name their parts alike
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(REPLACE "/" "_" folder ${folder})
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR group "${count_${folder}} / ${files_at_a_time}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
    set(level "")
    if(SPARSECAST_SMALL AND folder MATCHES "^src_(${sparsecast_small})")
      set(level -Os)
    elseif(SPARSECAST_SMALL AND folder MATCHES "^src_(forecast|planning|cluster)")
      set(level -O2)
    elseif("${folder}_${group}" MATCHES "^src_(${sparsecast_lightly})")
      set(level -O1)
    endif()
    if(level)
      set_source_files_properties(
        ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${folder}_${group}_cxx.cxx
        PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:${level}>)
    endif()
    if(level STREQUAL -Os)  # which GCC's precompiled headers of other levels are not for
      set_source_files_properties(
        ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${folder}_${group}_cxx.cxx
        PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()
