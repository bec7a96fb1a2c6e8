# Twins of the prototypes, whose movement twins_test.cpp has counted by cachegrind.
foreach(twin cg bicgstab_proto gmres_proto jacobi)
  add_executable(test-twin-${twin} ${PROJECT_SOURCE_DIR}/examples/traffic/${twin}.cpp)
  target_compile_features(test-twin-${twin} PRIVATE cxx_std_20)
  target_compile_options(test-twin-${twin} PRIVATE -O2)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # what is counted is the twin's own movement, and cachegrind is one by itself
    target_compile_options(test-twin-${twin} PRIVATE -fno-sanitize=all)
    target_link_options(test-twin-${twin} PRIVATE -fno-sanitize=all)
  endif()
  add_dependencies(test-memory_traffic test-twin-${twin})
endforeach()
