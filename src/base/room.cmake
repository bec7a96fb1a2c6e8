# JSON and formatting headers are the slow part of most files; compiled once for the whole library.
target_precompile_headers(sparsecast PRIVATE <nlohmann/json.hpp> <fmt/format.h> <algorithm> <string> <vector> <span>)
