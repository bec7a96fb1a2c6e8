# Boosted trees beside the learned residual of imported profiles: the build needs XGBoost's header alone, the library is
# opened when trees are asked for.
find_path(XGBOOST_INCLUDE_DIR xgboost/c_api.h)
sparsecast_part(xgboost "${XGBOOST_INCLUDE_DIR}" libxgboost-dev)
if(XGBOOST_INCLUDE_DIR)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/forecast/learned/boosted_trees.cpp PROPERTIES
    COMPILE_DEFINITIONS SPARSECAST_HAS_XGBOOST)
endif()
# The coefficients of the models across machines travel inside the library.
sparsecast_embed(${library} machine_model ${PROJECT_SOURCE_DIR}/profiles/machine-model.json)
sparsecast_embed(${library} gpu_model ${PROJECT_SOURCE_DIR}/profiles/gpu-model.json)
