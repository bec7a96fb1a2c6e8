#pragma once
// What a fuzz target has to say: how its parser is called. The parser may return or throw sparsecast::Error; anything
// else (another exception, a crash, a sanitizer's report, a hang) is a finding.

#include <cstddef>
#include <cstdint>
#include <sparsecast/error.hpp>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sparsecast::fuzz {

/// Calls parse(text); an Error must say what is wrong.
template <class Parse>
int parse_only(const std::uint8_t* data, std::size_t size, Parse&& parse) {
  try {
    parse(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error& error) {
    if (error.reason().empty()) __builtin_trap();
  }
  return 0;
}

}  // namespace sparsecast::fuzz
