#pragma once
// A kernel's code as the driver (warp_run.hpp) sees it, the state of a warp that runs it, and what a step comes to. PTX
// (ptx_machine.hpp) and machine code (sass_machine.hpp) are such code. Integers and the floats that reach an address
// are computed; what comes from memory of unknown content stays unknown. Not here: any time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu_code/trace/known_memory.hpp"
#include "gpu_code/trace/lanes.hpp"
#include "gpu_code/trace/launch.hpp"

namespace sparsecast::gpu_code {
enum class MemorySpace : std::uint8_t { global, shared, constant, local, param };

/// One memory instruction of one warp.
struct MemoryAccess {
  MemorySpace space = MemorySpace::global;
  bool store = false, atomic = false, bypass_l1 = false;
  std::uint8_t bytes = 4;  ///< per lane
  LaneMask lanes = 0;      ///< active
  LaneMask known = 0;      ///< lanes whose address is known
  Lanes address{};
  std::uint64_t region = 0, region_bytes = 0;  ///< the other lanes reach somewhere in these bytes, if there are any
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
}  // namespace sparsecast::gpu_code
