#pragma once
// PTX that can be run (trace/code.hpp). Of the class, ptx_memory.cpp has what loads, stores and atomic operations do,
// ptx_parameters.cpp how a launch's arguments come in.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/trace/code.hpp"

namespace sparsecast::gpu_code {
class PtxCode : public Code {
 public:
  /// Puts the launch's arguments and buffers to the parameters. Error usage for an argument that no parameter has or
  /// whose value is no number. `module` and `kernel` must outlive the code.
  PtxCode(const PtxModule& module, const PtxKernel& kernel, const Launch& launch);

  [[nodiscard]] std::int32_t size() const override { return static_cast<std::int32_t>(kernel_.body.size()); }
  [[nodiscard]] std::size_t register_count() const override { return kernel_.registers.size(); }
  [[nodiscard]] int register_bits(std::size_t number) const override {
    const auto& type = kernel_.register_types[number];
    return type.kind == PtxType::Kind::predicate ? 0 : 8 * type.bytes;
  }
  void execute(WarpState& warp, std::int32_t pc, LaneMask mask, StepOutcome& outcome) const override;
  [[nodiscard]] std::int32_t branch_target(std::int32_t pc) const override;
  [[nodiscard]] std::optional<EqualityTest> equality_test(std::int32_t pc) const override;
  [[nodiscard]] std::string label(std::int32_t pc) const override;
  [[noreturn]] void ask(std::int32_t pc, const std::string& loop_label) const override;

  [[nodiscard]] const PtxKernel& kernel() const { return kernel_; }
  [[nodiscard]] const PtxModule& module() const { return module_; }
  [[nodiscard]] const MemoryImage& memory() const { return memory_; }
  /// The parameter block: constant bank 0 of the machine code holds the same.
  [[nodiscard]] const KnownBytes& parameters() const { return parameters_; }
  /// Name by which users give a parameter: from the source where known, else its position.
  [[nodiscard]] std::string parameter_name(std::size_t parameter) const;
  /// Registers that an instruction writes and reads (guard included).
  void registers_of(std::int32_t pc, std::vector<std::int32_t>& writes, std::vector<std::int32_t>& reads) const;

 private:
  /// One instruction on some lanes of one warp, of which the guard is not known for `unknown`.
  struct Step {
    WarpState& warp;
    const PtxInstruction& in;
    const std::string& opcode;
    LaneMask on, unknown;
  };
  void put_result(const Step& s, LaneMask mask) const;
  void compare(const Step& s) const;
  void convert_address(const Step& s) const;
  void move_parts(const Step& s) const;
  void compute(const Step& s) const;
  void vote(const Step& s) const;
  /// What an operand names is not known any more in these lanes.
  static void forget(WarpState& warp, const PtxOperand& operand, LaneMask on);

  void execute_memory(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const;
  void load(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const;
  bool read(const WarpState& warp, PtxSpace space, std::size_t lane, std::uint64_t address, int bytes,
            std::uint64_t& value) const;
  void put_loaded(WarpState& warp, const PtxInstruction& in, std::int32_t reg, std::size_t lane, bool known,
                  std::uint64_t value) const;
  void store(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const;
  LaneMask address(const WarpState& warp, const PtxOperand& operand, LaneMask on, Lanes& out) const;
  LaneMask special_value(const WarpState& warp, PtxSpecial which, LaneMask on, Lanes& out) const;
  LaneMask fetch(const WarpState& warp, const PtxOperand& operand, LaneMask on, Lanes& out) const;
  [[nodiscard]] std::uint64_t symbol_address(const PtxOperand& operand) const;
  /// Where lanes reach whose address is not known: within the variable that the operand points into.
  void place(MemoryAccess& access, const PtxOperand& operand) const;
  [[nodiscard]] bool is_known(const PtxParameter& parameter) const;
  void put(const PtxParameter& parameter, std::uint64_t value);
  void bind(std::size_t parameter, const Launch& launch);

  const PtxModule& module_;
  const PtxKernel& kernel_;
  const Launch& launch_;
  MemoryImage memory_;
  KnownBytes parameters_;
  std::vector<std::int32_t> variables_;  ///< that registers point into
  std::int64_t dynamic_shared_base_ = 0;
};
/// A comparison by which the library's functions of angles choose the path for large ones (common_operations.hpp).
[[nodiscard]] bool compares_angle(const PtxInstruction& instruction);
}  // namespace sparsecast::gpu_code
