#pragma once
// Bytes as text (RFC 4648), for pictures inside of a page.

#include <string>
#include <string_view>

namespace sparsecast::pages {

std::string base64(std::string_view bytes);

}  // namespace sparsecast::pages
