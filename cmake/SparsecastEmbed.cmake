# sparsecast_embed(TARGET NAME FILES…): compiles data files into TARGET, so that one executable carries its tables.
# They are read at run time through base/embedded.hpp as embedded::NAME(), a list of {file name, text}.

function(sparsecast_embed target name)
  set(output ${PROJECT_BINARY_DIR}/generated/embedded_${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D NAME=${name} "-DFILES=${ARGN}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
