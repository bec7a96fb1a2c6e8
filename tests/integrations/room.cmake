# Plans within Eigen, PETSc and hypre, strategies of Ginkgo's. The latter's tests are programs of theirs, which mpirun starts.
target_link_libraries(test-integrations PRIVATE sparsecast::eigen sparsecast::ginkgo)
target_sources(test-integrations PRIVATE ${PROJECT_SOURCE_DIR}/integrations/petsc/contest.cpp)
target_include_directories(test-integrations PRIVATE ${PROJECT_SOURCE_DIR}/integrations/petsc)
if(TARGET sparsecast::petsc)
  # PETSc frees what the types hand it and the other way round: their sources are compiled into the test, with the
  # address sanitizer. The library itself is loaded by the other program.
  set(petsc ${PROJECT_SOURCE_DIR}/integrations/petsc)
  add_executable(petsc-products ${CMAKE_CURRENT_SOURCE_DIR}/integrations/petsc_products.cpp ${petsc}/contest.cpp
                                ${petsc}/plan_products.cpp ${petsc}/sparsecast_petsc.cpp)
  add_executable(petsc-stranger ${CMAKE_CURRENT_SOURCE_DIR}/integrations/petsc_stranger.cpp)
  target_include_directories(petsc-products PRIVATE ${petsc})
  target_link_libraries(petsc-products PRIVATE sparsecast PkgConfig::PETSC MPI::MPI_C)
  if(NOT CMAKE_CXX_FLAGS MATCHES "sanitize=thread")  # one or the other
    target_compile_options(petsc-products PRIVATE -fsanitize=address)
    target_link_options(petsc-products PRIVATE -fsanitize=address)
  endif()
  target_link_libraries(petsc-stranger PRIVATE PkgConfig::PETSC MPI::MPI_C)
  foreach(program petsc-products petsc-stranger)
    target_compile_definitions(${program} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    sparsecast_compile(${program})
  endforeach()
  add_dependencies(test-integrations petsc-products petsc-stranger sparsecast-partition)
  target_compile_definitions(test-integrations PRIVATE PETSC_PRODUCTS="$<TARGET_FILE:petsc-products>"
    PETSC_STRANGER="$<TARGET_FILE:petsc-stranger>" PETSC_PARTITION="$<TARGET_FILE:sparsecast-partition>" PETSC_LIBRARY="$<TARGET_FILE:sparsecastpetsc>")
endif()
if(TARGET sparsecast::hypre)
  add_executable(hypre-solves ${CMAKE_CURRENT_SOURCE_DIR}/integrations/hypre_solves.cpp)
  target_link_libraries(hypre-solves PRIVATE sparsecast::hypre)
  sparsecast_compile(hypre-solves)
  add_dependencies(test-integrations hypre-solves)
  target_compile_definitions(test-integrations PRIVATE HYPRE_SOLVES="$<TARGET_FILE:hypre-solves>")
endif()
