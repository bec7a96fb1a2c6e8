# src/constants.tsv as a header: a constant for each row, so that code says constants::NAME and no number stands twice.
# With SPARSECAST_VARIED a constant that is no physics is multiplied when the program starts (scripts/sensitivity).
# The hashes of the shipped models stand beside them.
foreach(file src/constants.tsv profiles/machine-model.json profiles/gpu-model.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
endforeach()
file(SHA256 ${PROJECT_SOURCE_DIR}/src/constants.tsv table_sha256)
file(SHA256 ${PROJECT_SOURCE_DIR}/profiles/machine-model.json machine_model_sha256)
file(SHA256 ${PROJECT_SOURCE_DIR}/profiles/gpu-model.json gpu_model_sha256)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/constants.tsv rows REGEX "^[a-z]" ENCODING UTF-8)
list(POP_FRONT rows)
set(fixed "")
set(varied "")
foreach(row IN LISTS rows)
  string(REPLACE "\t" ";" row "${row}")
  list(GET row 0 name)
  list(GET row 1 value)
  list(GET row 3 kind)
  if(NOT kind MATCHES "^(physical|measured|learned|chosen)$")
    message(FATAL_ERROR "src/constants.tsv: ${name} is of no kind (and no semicolon may stand in a row)")
  endif()
  string(REGEX MATCHALL "[^ ]+" values "${value}")
  list(LENGTH values count)
  set(type double)
  if(count GREATER 1)
    set(type "std::array<double, ${count}>")
  endif()
  list(JOIN values ", " values)
  string(APPEND fixed "inline constexpr ${type} ${name}{${values}};\n")
  if(kind STREQUAL physical)
    string(APPEND varied "inline constexpr ${type} ${name}{${values}};\n")
  else()
    string(APPEND varied "inline const ${type} ${name} = varied(\"${name}\", ${type}{${values}});\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/sparsecast_constants.hpp CONTENT [[
#pragma once
// Made of src/constants.tsv, which tells units and sources.
#include <array>
#include <string_view>

namespace sparsecast::constants {
inline constexpr std::string_view table_sha256 = "@table_sha256@", machine_model_sha256 = "@machine_model_sha256@",
                                  gpu_model_sha256 = "@gpu_model_sha256@";
#ifndef SPARSECAST_VARIED
@fixed@#else
double varied(const char* name, double value);
template <class List>
List varied(const char* name, List values) {
  for (double& value : values) value = varied(name, value);
  return values;
}
@varied@#endif
/// A row that counts something.
template <class Count = int>
constexpr Count count(double row) {
  return static_cast<Count>(row);
}
}  // namespace sparsecast::constants
]] @ONLY)
