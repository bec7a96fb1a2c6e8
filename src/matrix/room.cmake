# Generated matrices are the same to the last bit on every machine: no fused multiply-adds in what decides them.
file(GLOB generator_sources ${PROJECT_SOURCE_DIR}/src/matrix/generate/*.cpp)
set_source_files_properties(${generator_sources} PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
