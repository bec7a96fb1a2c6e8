#pragma once
// Compressed files for tests of readers.

#include <string>
#include <string_view>

namespace sparsecast::test {

/// One gzip member.
std::string gzipped(std::string_view text);
/// A raw deflate stream, as zip members have it.
std::string deflated(std::string_view text);

}  // namespace sparsecast::test
