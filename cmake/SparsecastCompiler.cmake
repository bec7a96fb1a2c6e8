# Compiler settings that every target of the project shares.

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # pch_defines and time_macros are what ccache asks for so that it may cache users of a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

function(sparsecast_compile target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion)
  if(SPARSECAST_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
    # GCC 12 sees overlaps in std::string's own operator+ (its bug 105651) and unset values in its own AVX-512 header.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-error=restrict -Wno-error=uninitialized -Wno-error=maybe-uninitialized
                                               -Wno-error=stringop-overflow -Wno-error=array-bounds)
    endif()
  endif()
endfunction()

# For code around the library in which no time is spent (the command's own sources, the tests): in a release build half of
# the time of compiling them would go into optimizing JSON and option parsing.
function(sparsecast_compile_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
