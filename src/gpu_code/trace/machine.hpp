#pragma once
// What running a kernel's code needs: a launch, memory of known content, the state of a warp, and code as the driver
// (warp_run.hpp) sees it. PTX (ptx_machine.hpp) and machine code (sass_machine.hpp) are such code. Integers and the
// floats that reach an address are computed, what comes from memory of unknown content stays unknown. Not here: any
// time.

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sparsecast::gpu_code {
using Lanes = std::array<std::uint64_t, 32>;
using LaneMask = std::uint32_t;
/// The lanes of a mask, ascending: for (const std::size_t lane : LanesOf{mask}).
struct LanesOf {
  LaneMask mask = 0;
  [[nodiscard]] std::size_t operator*() const { return static_cast<std::size_t>(std::countr_zero(mask)); }
  LanesOf& operator++() {
    mask &= mask - 1;
    return *this;
  }
  bool operator==(const LanesOf&) const = default;
  [[nodiscard]] LanesOf begin() const { return *this; }
  [[nodiscard]] static LanesOf end() { return {}; }
};
using Dim3 = std::array<std::int64_t, 3>;

/// Where an address lies when the code does not say: windows of the generic address space.
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 60, local_window = std::uint64_t{1} << 61,
                               constant_window = std::uint64_t{1} << 59;
/// A buffer that is not given is aligned and lies alone: parameter p starts at (p + 1) · buffer_stride.
inline constexpr std::uint64_t buffer_stride = std::uint64_t{1} << 40;
/// Buffer (address / buffer_stride) of accesses whose address depends on memory of unknown content, and its elements.
inline constexpr std::uint64_t scattered_buffer = 200;
/// Buffer of local memory, and how far apart the local memories of two blocks lie (32 warps of 16 MiB).
inline constexpr std::uint64_t local_buffer = 180;
inline constexpr std::int64_t local_block_bytes = std::int64_t{1} << 29;
[[nodiscard]] std::uint64_t scattered_elements(const struct Launch& launch);

/// How a kernel is launched. Values are given by the parameter's name or position.
struct Launch {
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::map<std::string, std::string> arguments;              ///< --arg NAME=VALUE
  std::map<std::string, std::vector<std::uint8_t>> buffers;  ///< --buffer NAME=FILE, its bytes
  std::map<std::string, std::vector<std::int64_t>>
      trips;                                 ///< --trip LABEL=COUNT; several values are dealt out to threads
  std::vector<std::string> parameter_names;  ///< from the source, in order; empty where not known
  std::int64_t dynamic_shared_bytes = 0;
  std::optional<std::int64_t>
      longest_block;          ///< number of the block that has most to do, where data decide and are given
  bool lanes_diverge = true;  ///< a branch on unknown data: both sides (lanes diverge), or the side that falls through
  [[nodiscard]] std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  [[nodiscard]] std::int64_t threads_per_block() const { return block[0] * block[1] * block[2]; }
  [[nodiscard]] std::int64_t warps_per_block() const { return (threads_per_block() + 31) / 32; }
  /// A block's number in the order of the grid, and the block of a number.
  [[nodiscard]] std::int64_t number_of(const Dim3& b) const { return b[0] + grid[0] * (b[1] + grid[1] * b[2]); }
  [[nodiscard]] Dim3 block_at(std::int64_t number) const {
    return {number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
  }
};

enum class MemorySpace : std::uint8_t { global, shared, constant, local, param };

/// One memory instruction of one warp.
struct MemoryAccess {
  MemorySpace space = MemorySpace::global;
  bool store = false, atomic = false, bypass_l1 = false;
  std::uint8_t bytes = 4;  ///< per lane
  LaneMask lanes = 0;      ///< active
  LaneMask known = 0;      ///< lanes whose address is known
  Lanes address{};
};

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

struct WarpState {
  std::vector<Lanes> registers;
  std::vector<LaneMask> known;  ///< per register: lanes that hold a known value
  Dim3 block{};                 ///< this block's index in the grid
  Lanes tid_x{}, tid_y{}, tid_z{};
  int warp = 0;  ///< in its block
  KnownBytes* shared = nullptr;
  KnownBytes local[32];  ///< spilled bytes
};

struct StepOutcome {
  enum class Kind : std::uint8_t { next, branch, exit, barrier, call, come_back } kind = Kind::next;
  std::int32_t target = 0;
  LaneMask lanes = 0;    ///< lanes for which the instruction is not switched off by its guard
  LaneMask unknown = 0;  ///< lanes whose guard is unknown (they count as on, except for branches and calls)
  LaneMask again = 0;    ///< lanes that come back to another place: they run the instruction once more
  bool has_access = false;
  MemoryAccess access;
};

/// A loop is a contiguous range of instructions [head, tail] whose last ones jump back to the head.
struct CodeLoop {
  std::int32_t head = 0, tail = 0;
  std::int32_t parent = -1;
  std::string label;  ///< of the head
};

/// A comparison of two integers for equality, by which a loop may end.
struct EqualityTest {
  std::int32_t a = -1, b = -1;  ///< registers; of b −1: the value
  std::uint64_t value = 0;
  int bits = 32;
};

/// Code of one kernel, ready to run: PTX or machine code.
class Code {
 public:
  virtual ~Code() = default;
  [[nodiscard]] virtual std::int32_t size() const = 0;
  [[nodiscard]] virtual std::size_t register_count() const = 0;
  /// Width of an integer register; 0 for predicates.
  [[nodiscard]] virtual int register_bits(std::size_t number) const = 0;
  virtual void execute(WarpState& warp, std::int32_t pc, LaneMask mask, StepOutcome& outcome) const = 0;
  /// Jump target of a branch instruction, −1 for any other.
  [[nodiscard]] virtual std::int32_t branch_target(std::int32_t pc) const = 0;
  [[nodiscard]] virtual std::optional<EqualityTest> equality_test(std::int32_t pc) const = 0;
  /// True where what follows is a path that ordinary data do not take (a call of an arithmetic function's slow path).
  [[nodiscard]] virtual bool rare(std::int32_t /*pc*/) const { return false; }
  [[nodiscard]] virtual std::string label(std::int32_t pc) const = 0;
  /// Called where control flow needs a value that is not known: throws the Error that says what to give.
  [[noreturn]] virtual void ask(std::int32_t pc, const std::string& loop_label) const = 0;
  [[nodiscard]] const std::vector<CodeLoop>& loops() const { return loops_; }
  /// Innermost loop of an instruction, −1 for none.
  [[nodiscard]] std::int32_t loop_of(std::int32_t pc) const { return loop_of_[static_cast<std::size_t>(pc)]; }

 protected:
  void find_loops();

 private:
  std::vector<CodeLoop> loops_;
  std::vector<std::int32_t> loop_of_;
};

// What both kinds of code compute alike.

[[nodiscard]] inline std::int64_t sign_extend(std::uint64_t value, int bits) {
  const int shift = 64 - bits;
  return static_cast<std::int64_t>(value << shift) >> shift;
}
/// Four bytes out of the eight of {b, a}, each by four bits of the selector; its highest bit spreads the byte's sign.
[[nodiscard]] std::uint64_t permuted_bytes(std::uint64_t a, std::uint64_t b, std::uint64_t selector);
/// Bit by bit, what the table of eight says of the three.
[[nodiscard]] std::uint64_t logic_by_table(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table);
[[nodiscard]] std::uint64_t reversed_bits(std::uint64_t value, int bits);
/// Where local memory lies: interleaved by thread, so that a warp's access to one variable is one line.
[[nodiscard]] Lanes local_addresses(const WarpState& warp, const Lanes& where);

// Shared-memory passes and global-memory sectors of one warp's access, from the addresses of its lanes.

/// A global access in units of the cache: a 128-byte line and which of its four 32-byte sectors.
struct LineAccess {
  std::uint64_t line = 0;
  std::uint8_t sectors = 0;
};

/// Passes that a shared-memory access takes: 32 banks of 4 bytes, equal words are broadcast; 8-byte accesses go by half
/// warps and 16-byte ones by quarters, unless neighbours read the same (Nsight Compute's "ideal" passes).
[[nodiscard]] int shared_wavefronts(const MemoryAccess& access);
/// Passes that a global load takes in the first-level cache, whose banks are those of shared memory; a line is one at
/// least, and nothing is packed.
[[nodiscard]] int cache_passes(const MemoryAccess& access, std::uint32_t lines);
/// Words that a constant access names: its passes.
[[nodiscard]] int distinct_words(const MemoryAccess& access);
/// Most lanes that name one address: atomic operations on it follow each other.
[[nodiscard]] int same_address(const MemoryAccess& access);

/// Takes part of the block: which lines and sectors a global access touches, ascending.
void touched_lines(const MemoryAccess& access, std::vector<LineAccess>& out);
}  // namespace sparsecast::gpu_code
