# The coefficients of the models across machines travel inside the library.
sparsecast_embed(${library} machine_model ${PROJECT_SOURCE_DIR}/profiles/machine-model.json)
sparsecast_embed(${library} gpu_model ${PROJECT_SOURCE_DIR}/profiles/gpu-model.json)
sparsecast_embed(${library} gpu_code ${PROJECT_SOURCE_DIR}/profiles/gpu-code.tsv)
sparsecast_embed(${library} constants ${PROJECT_SOURCE_DIR}/src/constants.tsv)
