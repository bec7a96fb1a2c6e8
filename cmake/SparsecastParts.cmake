# The optional parts of a build: each is noted where it is looked for, and configuring ends with a table of them.

# sparsecast_part(NAME FOUND REMEDY): FOUND is false in CMake's sense where the part is left out; REMEDY says what to
# install (or why not).
function(sparsecast_part name found remedy)
  if(found)
    set_property(GLOBAL APPEND PROPERTY SPARSECAST_PARTS_FOUND "${name}")
  else()
    set_property(GLOBAL APPEND PROPERTY SPARSECAST_PARTS_MISSING "${name} (${remedy})")
  endif()
endfunction()

function(sparsecast_print_parts)
  get_property(found GLOBAL PROPERTY SPARSECAST_PARTS_FOUND)
  get_property(missing GLOBAL PROPERTY SPARSECAST_PARTS_MISSING)
  list(JOIN found "|" names)
  list(JOIN missing "|" others)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/answers/doctor.cpp APPEND PROPERTY COMPILE_DEFINITIONS
    "SPARSECAST_PARTS=\"${names}\"" "SPARSECAST_PARTS_LEFT_OUT=\"${others}\"")
  list(JOIN found ", " found)
  list(JOIN missing ", " missing)
  message(STATUS "Parts built:    ${found}")
  if(missing)
    message(STATUS "Parts left out: ${missing}")
  endif()
endfunction()
