# The models room: boosted trees beside the learned residual of imported profiles, where XGBoost is here. Not in a
# portable build, which links nothing that its user may lack.
if(NOT SPARSECAST_PORTABLE)
  find_path(XGBOOST_INCLUDE_DIR xgboost/c_api.h)
  find_library(XGBOOST_LIBRARY xgboost)
  if(XGBOOST_INCLUDE_DIR AND XGBOOST_LIBRARY)
    target_compile_definitions(sparsecast PRIVATE SPARSECAST_HAS_XGBOOST)
    target_link_libraries(sparsecast PRIVATE ${XGBOOST_LIBRARY})
  endif()
endif()
