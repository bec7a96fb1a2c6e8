# The script that times products where there is no Sparsecast travels inside the library.
sparsecast_embed(${library} probe_script ${PROJECT_SOURCE_DIR}/src/calibration/assets/probe.sh)
# So does what processors that were calibrated say of others.
sparsecast_embed(${library} host_model ${PROJECT_SOURCE_DIR}/profiles/host-model.json)
