# The script that times products where there is no Sparsecast travels inside the library.
sparsecast_embed(${library} probe_script ${PROJECT_SOURCE_DIR}/src/calibration/assets/probe.sh)
