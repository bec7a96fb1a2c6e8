#pragma once
// libcurl, opened when something is fetched: it brings three dozen libraries along, which every run of the command
// would load. Included where the build has its headers (SPARSECAST_HAS_CURL).

#include <curl/curl.h>

namespace sparsecast::matrix {
#define SPARSECAST_LIBCURL(F) \
  F(global_init) F(easy_init) F(easy_setopt) F(easy_perform) F(easy_getinfo) F(easy_cleanup) F(easy_strerror)

/// Its functions, without the curl_ of their names.
struct LibCurl {
// NOLINTNEXTLINE(bugprone-macro-parentheses): it names a member
#define SPARSECAST_FUNCTION(name) decltype(&::curl_##name) name = nullptr;
  SPARSECAST_LIBCURL(SPARSECAST_FUNCTION)
#undef SPARSECAST_FUNCTION
};

/// nullptr where the library is not here or cannot begin.
const LibCurl* libcurl();
}  // namespace sparsecast::matrix
