# What makes a page look and act stands in files of its own and travels inside the library.
sparsecast_embed(sparsecast page_assets ${PROJECT_SOURCE_DIR}/src/pages/assets/style.css
                 ${PROJECT_SOURCE_DIR}/src/pages/assets/script.js)
