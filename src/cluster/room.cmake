# METIS (partition) and libsvm (the paper's regression) are linked into this library where they are here; MPI only into the rank program, SimGrid only into its simulation twin. Without them the commands exit with
# status 4 and say what to install.
# Descriptions of networks: profiles/networks/<name>.json.
file(GLOB network_descriptions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/networks/*.json)
sparsecast_embed(${library} networks ${network_descriptions})

# Whole machines: their parts, some by name, and what published ones reached.
file(GLOB system_tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/systems/*.tsv)
sparsecast_embed(${library} systems ${system_tables})

# What calibration trains on.
file(GLOB training_recipes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cluster/training/*.txt)
sparsecast_embed(${library} training_recipes ${training_recipes})

# What `cluster script --solver` writes.
file(GLOB solver_example CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/cluster/*)
sparsecast_embed(${library} solver_example ${solver_example})

sparsecast_optional_library(metis metis.h metis libmetis-dev)
if(METIS_FOUND)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cluster/scheme/partition.cpp PROPERTIES
    COMPILE_DEFINITIONS SPARSECAST_HAS_METIS)
  target_link_libraries(${library} PRIVATE sparsecast::metis)
endif()

sparsecast_optional_library(libsvm svm.h svm libsvm-dev libsvm)
if(LIBSVM_FOUND)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cluster/models/svr_model.cpp PROPERTIES
    COMPILE_DEFINITIONS SPARSECAST_HAS_LIBSVM INCLUDE_DIRECTORIES ${LIBSVM_INCLUDE_DIR})
  target_link_libraries(${library} PRIVATE sparsecast::libsvm)
endif()

file(GLOB rank_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cluster/rank/*.cpp)

function(sparsecast_rank_program target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE sparsecast-cluster fmt::fmt nlohmann_json::nlohmann_json)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                                             LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} PREFIX "" SUFFIX "")
  sparsecast_compile(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)  # its products are the library's
  sparsecast_unity(${target} 12)
endfunction()

# MPI's C interface suffices; the deprecated C++ bindings of some installations are kept out.
find_package(MPI COMPONENTS C QUIET)
sparsecast_part(MPI "${MPI_C_FOUND}" "libopenmpi-dev openmpi-bin")
if(MPI_C_FOUND)
  add_executable(sparsecast-rank ${rank_sources})
  target_link_libraries(sparsecast-rank PRIVATE MPI::MPI_C)
  target_compile_definitions(sparsecast-rank PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  sparsecast_rank_program(sparsecast-rank)
  install(TARGETS sparsecast-rank DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/sparsecast)
endif()

# What smpicxx does to a program: SimGrid's mpi.h first, its wrappers for the clock and for sleeping, a shared object
# that smpirun loads once per simulated process.
find_program(SMPICXX smpicxx)
find_path(SIMGRID_INCLUDE_DIR smpi/smpi.h)
find_library(SIMGRID_LIBRARY simgrid)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  # SimGrid's own program loads the ranks and moves them between stacks of its making; a sanitizer would have to be in it.
  sparsecast_part(SimGrid FALSE "not under a sanitizer")
elseif(SMPICXX AND SIMGRID_INCLUDE_DIR AND SIMGRID_LIBRARY)
  sparsecast_part(SimGrid TRUE "")
  add_library(sparsecast-rank-smpi MODULE ${rank_sources})
  target_include_directories(sparsecast-rank-smpi BEFORE PRIVATE ${SIMGRID_INCLUDE_DIR}/smpi ${SIMGRID_INCLUDE_DIR})
  target_compile_options(sparsecast-rank-smpi PRIVATE -include smpi/smpi_helpers.h)
  target_compile_definitions(sparsecast-rank-smpi PRIVATE SPARSECAST_SIMULATION)
  target_link_libraries(sparsecast-rank-smpi PRIVATE ${SIMGRID_LIBRARY})
  sparsecast_rank_program(sparsecast-rank-smpi)
  install(TARGETS sparsecast-rank-smpi DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/sparsecast)
else()
  sparsecast_part(SimGrid FALSE libsimgrid-dev)
endif()
