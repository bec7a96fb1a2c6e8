#pragma once
// npz files for tests, made by hand: arrays in NumPy's format inside a zip archive.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sparsecast::test {

/// One array: `type` as NumPy writes it ("<f8"), `shape` as Python writes it ("(3,)").
std::string npy(const std::string& type, const std::string& shape, const std::string& raw, bool fortran = false,
                int version = 1);

/// The bytes of numbers.
template <class T>
std::string raw(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

/// An archive; `wide` writes zip64 fields, as NumPy does.
std::string zip(const std::vector<std::pair<std::string, std::string>>& members, bool deflate, bool wide = false);

}  // namespace sparsecast::test
