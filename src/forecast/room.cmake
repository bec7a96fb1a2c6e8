# The forecast folder: boosted trees beside the learned residual of imported profiles, where XGBoost is here. Not in a
# portable build, which links nothing that its user may lack.
if(NOT SPARSECAST_PORTABLE)
  sparsecast_optional_library(xgboost xgboost/c_api.h xgboost libxgboost-dev)
  if(XGBOOST_FOUND)
    target_compile_definitions(sparsecast PRIVATE SPARSECAST_HAS_XGBOOST)
    target_link_libraries(sparsecast PRIVATE sparsecast::xgboost)
  endif()
endif()
# The coefficients of the model across machines travel inside the library.
sparsecast_embed(sparsecast machine_model ${PROJECT_SOURCE_DIR}/profiles/machine-model.json)
# By itself, so that the Python package can link another one in its place (python/CMakeLists.txt).
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/forecast/learned/boosted_trees.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)
