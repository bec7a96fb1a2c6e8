#pragma once
// Memory of which some bytes are known: what a launch gives, and what a block has written.

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sparsecast::gpu_code {
/// Memory of known content: arguments, given buffers, initialised variables.
class MemoryImage {
 public:
  void add(std::uint64_t address, std::vector<std::uint8_t> bytes);
  [[nodiscard]] bool read(std::uint64_t address, int bytes, std::uint64_t& value) const {
    return address >= begin_ && address < end_ && find(address, bytes, value);
  }

 private:
  struct Region {
    std::uint64_t address;
    std::vector<std::uint8_t> bytes;
  };
  [[nodiscard]] bool find(std::uint64_t address, int bytes, std::uint64_t& value) const;
  std::vector<Region> regions_;
  std::uint64_t begin_ = ~std::uint64_t{0}, end_ = 0;  ///< of all regions together
};

/// Bytes of which some are known: shared memory of a block, a lane's local memory, parameters, a bank of constants.
class KnownBytes {
 public:
  /// True while no byte is known.
  [[nodiscard]] bool blank() const { return known_.empty(); }
  /// Little-endian value of up to 8 bytes; false where one of them is not known.
  [[nodiscard]] bool read(std::uint64_t address, int bytes, std::uint64_t& value) const;
  void write(std::uint64_t address, int bytes, std::uint64_t value, bool known);

 private:
  std::unordered_map<std::uint64_t, std::uint8_t> known_;
};
}  // namespace sparsecast::gpu_code
