# Libraries without a CMake package of their own, as imported targets sparsecast::<name>. Included by the build and, since a
# static library passes on what it links, by the installed sparsecast-config.cmake.

# sparsecast_library(NAME LIBRARY): sparsecast::NAME, where the library is here.
function(sparsecast_library name library)
  if(TARGET sparsecast::${name})
    return()
  endif()
  string(TOUPPER ${name} upper)
  find_library(${upper}_LIBRARY ${library})
  if(${upper}_LIBRARY)
    add_library(sparsecast::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(sparsecast::${name} PROPERTIES IMPORTED_LOCATION ${${upper}_LIBRARY})
  endif()
endfunction()

# sparsecast_optional_library(NAME HEADER LIBRARY PACKAGE [suffixes of the header's folder…]): the same with its header,
# for the build. Sets <NAME>_FOUND and <NAME>_INCLUDE_DIR, notes the part for the table of parts and, with the component
# that links it, the library for the installed configuration.
macro(sparsecast_optional_library name header library package)
  string(TOUPPER ${name} sparsecast_upper)
  find_path(${sparsecast_upper}_INCLUDE_DIR ${header} PATH_SUFFIXES ${ARGN})
  sparsecast_library(${name} ${library})
  set(${sparsecast_upper}_FOUND FALSE)
  if(${sparsecast_upper}_INCLUDE_DIR AND TARGET sparsecast::${name})
    set(${sparsecast_upper}_FOUND TRUE)
    set_property(GLOBAL APPEND PROPERTY SPARSECAST_LINKED "${component} ${name} ${library} ${package}")
  endif()
  sparsecast_part(${name} "${${sparsecast_upper}_FOUND}" ${package})
endmacro()
