// Plans: made, told of, given new values, kept in files.

#include <sparsecast/kernels.hpp>
#include <sparsecast/plan.hpp>

#include "c_interface/members.hpp"
#include "c_interface/objects.hpp"
#include "c_interface/remarks.hpp"
#include "fields/plan.hpp"

namespace sparsecast::c_interface {
namespace {
HeldPlan planned(const LentMatrix& lent, const sparsecast_plan_options& options, const Remarks& remarks) {
  PlanRequest request;
  request.listener = remarks.listener();
  request.matrix = lent.matrix;
  request.precision = lent.precision();
  take_fields(request, options);
  Plan made = sparsecast::plan(request);
  return {lent, made.strategy(), std::move(made)};
}

// Bytes of the matrix's arrays that a block reads where they are.
std::int64_t shared_bytes(const HeldPlan& held, const PlannedBlock& block) {
  const Kernel* kernel = find_kernel(block.kernel);
  const bool in_place =
      held.strategy.device == "host" && !block.reordered && kernel != nullptr && kernel->format == "csr";
  if (!in_place || block.last_row < block.first_row) return 0;
  return held.lent.matrix.visit_any(
      [&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& csr) -> std::int64_t {
        const bool values_too = sparsecast::precision_of<Value> == held.strategy.precision;
        const std::int64_t nonzeros = csr.row_pointers[static_cast<std::size_t>(block.last_row) + 1] -
                                      csr.row_pointers[static_cast<std::size_t>(block.first_row)];
        const auto rows = block.last_row - block.first_row + (held.strategy.blocks.size() == 1 ? 2 : 1);
        return nonzeros * static_cast<std::int64_t>(sizeof(Index) + (values_too ? sizeof(Value) : 0)) +
               rows * static_cast<std::int64_t>(sizeof(Offset));
      });
}

sparsecast_strategy told(const HeldPlan& held) {
  auto info = told_of<sparsecast_strategy>(held.strategy);
  info.rows = held.plan.rows(), info.cols = held.plan.cols(), info.nonzeros = held.lent.matrix.nonzeros();
  info.device = held.strategy.device.c_str();
  info.precision = to_string(held.strategy.precision).data();
  std::int64_t shared = 0;
  for (const PlannedBlock& block : held.strategy.blocks) shared += shared_bytes(held, block);
  info.bytes = held.plan.bytes();
  info.copied_bytes = std::max<std::int64_t>(0, held.plan.bytes() - shared);
  info.conversion_took_s = held.plan.conversion_seconds();
  return info;
}

void update(HeldPlan& held, const void* values, std::int64_t entries) {
  const std::int64_t nonzeros = held.lent.matrix.nonzeros();
  if (values == nullptr ? entries != 0 : entries != nonzeros)
    refuse_usage(std::to_string(entries) + " new values for a matrix with " + std::to_string(nonzeros) + " non-zeros");
  LentMatrix next = with_values(held.lent, values);
  held.plan.update_values(next.matrix, CsrCheck::sizes);
  held.lent = std::move(next);
}
}  // namespace
}  // namespace sparsecast::c_interface

using namespace sparsecast::c_interface;  // C's names stand in no namespace

int sparsecast_plan_create(const sparsecast_matrix* matrix, const sparsecast_plan_options* options,
                           sparsecast_plan** plan) {
  return give(plan, [&] {
    const Remarks remarks;
    const Reading from(matrix);
    return planned(*from, taken(options), remarks);
  });
}

int sparsecast_plan_save(const sparsecast_plan* plan, const char* file) {
  return guarded([&] {
    const Reading from(plan);
    from->plan.save(&there(file, "file"));
  });
}

int sparsecast_plan_load(const char* file, const sparsecast_matrix* matrix, sparsecast_plan** plan) {
  return give(plan, [&] {
    const Reading from(matrix);
    sparsecast::Plan loaded = sparsecast::Plan::load(&there(file, "file"), from->matrix);
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
