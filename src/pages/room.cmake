# A page's template, how it looks and acts, and the library that draws in it travel inside the library.
set(page_assets page.html page.css draw.js matrix.js documents.js page.js d3.min.js d3.LICENSE)
list(TRANSFORM page_assets PREPEND ${PROJECT_SOURCE_DIR}/src/pages/assets/)
sparsecast_embed(${library} page_assets ${page_assets})
