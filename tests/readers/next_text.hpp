#pragma once
// How the scripts that compare readers send a text: its length (32 bits) and its bytes, on stdin.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

inline std::optional<std::string> next_text() {
  std::uint32_t size = 0;
  if (std::fread(&size, sizeof size, 1, stdin) != 1) return std::nullopt;
  std::string text(size, '\0');
  if (std::fread(text.data(), 1, size, stdin) != size) return std::nullopt;
  return text;
}
