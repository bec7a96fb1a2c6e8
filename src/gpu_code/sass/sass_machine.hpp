#pragma once
// Machine code (SASS, compute capability 7.x to 9.x) that can be run as far as addresses and control flow ask for it.
// An operation that is not known leaves its result unknown; one that control flow needs makes the caller fall back on
// the PTX.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/sass/cubin.hpp"
#include "gpu_code/sass/sass_operations.hpp"

namespace sparsecast::gpu_code {
class SassCode : public Code {
 public:
  /// Parameters, buffers and initialised variables are those of the PTX. `architecture` as 75, 80, …
  SassCode(const CubinKernel& cubin, const PtxCode& ptx, const Launch& launch, int architecture);

  [[nodiscard]] std::int32_t size() const override { return static_cast<std::int32_t>(cubin_.code.size()); }
  [[nodiscard]] std::size_t register_count() const override { return 336; }
  [[nodiscard]] int register_bits(std::size_t number) const override { return number < 320 ? 32 : 0; }
  void execute(WarpState& warp, std::int32_t pc, LaneMask mask, StepOutcome& outcome) const override;
  [[nodiscard]] std::int32_t branch_target(std::int32_t pc) const override;
  [[nodiscard]] bool rare(std::int32_t pc) const override;
  [[nodiscard]] std::optional<EqualityTest> equality_test(std::int32_t pc) const override;
  [[nodiscard]] std::string label(std::int32_t pc) const override;
  [[noreturn]] void ask(std::int32_t pc, const std::string& loop_label) const override;
  [[nodiscard]] const std::vector<SassWord>& words() const { return cubin_.code; }
  /// Lanes for which the bytes of a constant bank are known: all or none.
  [[nodiscard]] LaneMask constant(std::uint32_t bank, std::uint64_t offset, int bytes, std::uint64_t& value) const;

 private:
  [[nodiscard]] const SassOperation& operation(std::int32_t pc) const {
    return sass_operation(cubin_.code[static_cast<std::size_t>(pc)]);
  }
  /// As in the table; but a call of a place from which no return is reached is a jump: the compiler leaves loops so.
  [[nodiscard]] SassEffect effect(std::int32_t pc) const;
  void branch(const SassStep& s, std::int32_t pc, StepOutcome& outcome) const;
  void call(std::int32_t pc, StepOutcome& outcome) const;
  void come_back(SassStep& s, std::int32_t pc, StepOutcome& outcome) const;
  void find_returns();
  /// What a jump adds to the place of the next instruction, in bytes.
  [[nodiscard]] std::int64_t offset(std::int32_t pc) const;
  [[noreturn]] void refuse(std::int32_t pc, const char* reason) const;

  const CubinKernel& cubin_;
  const PtxCode& ptx_;
  const Launch& launch_;
  int architecture_;
  KnownBytes launch_constants_;  ///< of bank 0, below the parameters
  MemoryImage own_constants_;    ///< bank 2
  std::vector<char> returns_;    ///< whether the code from here on comes to a return before it comes to an exit
};
}  // namespace sparsecast::gpu_code
