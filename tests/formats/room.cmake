# Matrices that several test files of this folder share.
target_sources(test-formats PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/formats/awkward_matrices.cpp)
