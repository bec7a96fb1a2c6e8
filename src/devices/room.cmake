# Descriptions of devices, present or not: profiles/devices/<name>.json.
file(GLOB device_descriptions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/devices/*.json)
sparsecast_embed(sparsecast devices ${device_descriptions})
