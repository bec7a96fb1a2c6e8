// Plans: made, told of, given new values, kept in files.

#include <sparsecast/kernels.hpp>
#include <sparsecast/plan.hpp>

#include "c_interface/members.hpp"
#include "c_interface/objects.hpp"
#include "fields/plan.hpp"

namespace sparsecast::c_interface {
namespace {
// Of complex values the two parts are multiplied with pairs of vectors, in the same kernels.
HeldPlan of_parts(const LentMatrix& matrix, PlanRequest request) {
  if (request.trials != PlanRequest().trials) refuse_usage("plans of complex matrices cannot use trials");
  if (request.powers > 0) refuse_usage("powers of complex matrices cannot be planned", "multiply one after the other");
  request.strategy.vectors *= 2;
  Plan real = sparsecast::plan(request);
  const Strategy strategy = real.strategy();
  return {matrix, strategy, std::move(real), Plan(*matrix.imaginary, strategy)};
}

HeldPlan planned(const LentMatrix& matrix, const sparsecast_plan_options& options) {
  PlanRequest request;
  request.listener.voice = Voice::c;
  request.matrix = matrix.real;
  request.precision = matrix.precision();
  take_fields(request, options);
  if (matrix.imaginary) return of_parts(matrix, request);
  Plan made = sparsecast::plan(request);
  return {matrix, made.strategy(), std::move(made)};
}

// Bytes of the matrix's arrays that a block reads where they are.
std::int64_t shared_bytes(const HeldPlan& held, const PlannedBlock& block) {
  const Kernel* kernel = find_kernel(block.kernel);
  const bool in_place =
      held.strategy.device == "host" && !block.reordered && kernel != nullptr && kernel->format == "csr";
  if (!in_place || block.last_row < block.first_row) return 0;
  return held.matrix.real.visit(
      [&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& csr) -> std::int64_t {
        const bool values_too = held.matrix.precision() == held.strategy.precision;
        const std::int64_t nonzeros = csr.row_pointers[static_cast<std::size_t>(block.last_row) + 1] -
                                      csr.row_pointers[static_cast<std::size_t>(block.first_row)];
        const auto rows = block.last_row - block.first_row + (held.strategy.blocks.size() == 1 ? 2 : 1);
        return nonzeros * static_cast<std::int64_t>(sizeof(Index) + (values_too ? sizeof(Value) : 0)) +
               rows * static_cast<std::int64_t>(sizeof(Offset));
      });
}

sparsecast_strategy told(const HeldPlan& held) {
  auto info = told_of<sparsecast_strategy>(held.strategy);
  info.rows = held.real.rows(), info.cols = held.real.cols(), info.nonzeros = held.matrix.real.nonzeros();
  info.device = held.strategy.device.c_str();
  info.precision = to_string(held.strategy.precision).data();
  std::int64_t shared = 0;
  for (const PlannedBlock& block : held.strategy.blocks) shared += shared_bytes(held, block);
  const auto parts = held.imaginary ? 2 : 1;
  info.bytes = held.real.bytes() * parts;
  info.copied_bytes = std::max<std::int64_t>(0, held.real.bytes() - shared) * parts;
  info.conversion_took_s = held.real.conversion_seconds();
  if (held.imaginary) info.conversion_took_s += held.imaginary->conversion_seconds();
  return info;
}

void refuse_complex(bool complex) {
  if (complex) refuse_usage("a plan of a complex matrix cannot be saved", "plan again");
}

void update(HeldPlan& held, const void* values, std::int64_t entries) {
  const std::int64_t nonzeros = held.matrix.real.nonzeros();
  if (values == nullptr ? entries != 0 : entries != nonzeros)
    refuse_usage(std::to_string(entries) + " new values for a matrix with " + std::to_string(nonzeros) + " non-zeros");
  LentMatrix next = with_values(held.matrix, values);
  held.real.update_values(next.real, CsrCheck::sizes);
  if (held.imaginary) held.imaginary->update_values(*next.imaginary, CsrCheck::sizes);
  held.matrix = std::move(next);
}
}  // namespace
}  // namespace sparsecast::c_interface

using namespace sparsecast::c_interface;  // C's names stand in no namespace

int sparsecast_plan_create(const sparsecast_matrix* matrix, const sparsecast_plan_options* options,
                           sparsecast_plan** plan) {
  return give(plan, [&] {
    const Reading from(matrix);
    return planned(*from, taken(options));
  });
}

int sparsecast_plan_save(const sparsecast_plan* plan, const char* file) {
  return guarded([&] {
    const Reading from(plan);
    refuse_complex(from->imaginary.has_value());
    from->real.save(&there(file, "file"));
  });
}

int sparsecast_plan_load(const char* file, const sparsecast_matrix* matrix, sparsecast_plan** plan) {
  return give(plan, [&] {
    const Reading from(matrix);
    refuse_complex(from->imaginary.has_value());
    sparsecast::Plan loaded = sparsecast::Plan::load(&there(file, "file"), from->real);
    return HeldPlan{*from, loaded.strategy(), std::move(loaded)};
  });
}

int sparsecast_plan_info(const sparsecast_plan* plan, sparsecast_strategy* info) {
  return guarded([&] {
    const Reading from(plan);
    hand_out(told(*from), info);
  });
}

int sparsecast_plan_block(const sparsecast_plan* plan, int64_t index, sparsecast_planned_block* block) {
  return guarded([&] {
    const Reading from(plan);
    hand_out(told_of<sparsecast_planned_block>(nth(from->strategy.blocks, index, "block")), block);
  });
}

int sparsecast_plan_powers(const sparsecast_plan* plan, sparsecast_powers* powers) {
  return guarded([&] {
    const Reading from(plan);
    if (!from->strategy.powers) refuse_usage("the plan has no powers");
    hand_out(told_of<sparsecast_powers>(*from->strategy.powers), powers);
  });
}

int sparsecast_plan_update_values(sparsecast_plan* plan, const void* values, int64_t entries) {
  return guarded([&] {
    const Changing to(plan);
    update(*to, values, entries);
  });
}

int sparsecast_plan_free(sparsecast_plan* plan) { return free_handle(plan); }
