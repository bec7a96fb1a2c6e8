#pragma once
// What must not stay behind when the program is ended in the middle of work: half-written files and temporary folders.
// Those who make one say so for as long as it is theirs. Thread safety: safe from several threads at once.

#include <filesystem>
#include <string>

namespace sparsecast::base {
/// A path that is removed, with what is below it, where the program is ended while this lives (cleanup.hpp). In
/// the course of things its owner removes it.
class Leftover {
 public:
  Leftover() = default;
  ~Leftover() { forget(); }
  Leftover& operator=(Leftover&&) = delete;  // nor copied
  void watch(const std::filesystem::path& path);
  void forget() noexcept;

 private:
  std::filesystem::path path_;
};

/// Removes them all. For the end of the program alone: their owners are not told.
void remove_leftovers() noexcept;

/// Sixteen hexadecimal digits that nobody can guess, for the name of a file among others'.
[[nodiscard]] std::string unguessable_name();
}  // namespace sparsecast::base
