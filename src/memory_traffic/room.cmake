# The table of MATLAB's own functions and the run-time library travel inside the executable.
file(GLOB traffic_library CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/memory_traffic/run/matlab/*.m)
file(GLOB traffic_tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/memory_traffic/language/data/*.tsv)
file(GLOB traffic_templates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/memory_traffic/run/templates/*.m)
sparsecast_embed(${library} traffic_library ${traffic_library})
sparsecast_embed(${library} traffic_templates ${traffic_templates})
sparsecast_embed(${library} traffic_tables ${traffic_tables})
