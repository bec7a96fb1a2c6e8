#pragma once
// The members of the structs of sparsecast.h that are fields of requests and answers, by their names.

#include "c_interface/structs.hpp"
#include "fields/answers/calibrate.hpp"
#include "fields/answers/predict.hpp"
#include "fields/plan_request.hpp"

namespace sparsecast::c_interface {
template <>
struct Members<sparsecast_plan_options>
    : MemberList<
          &sparsecast_plan_options::device, &sparsecast_plan_options::profile, &sparsecast_plan_options::precision,
          &sparsecast_plan_options::threads, &sparsecast_plan_options::iterations, &sparsecast_plan_options::strip_rows,
          &sparsecast_plan_options::vectors, &sparsecast_plan_options::max_blocks, &sparsecast_plan_options::always_cut,
          &sparsecast_plan_options::transposed, &sparsecast_plan_options::trials, &sparsecast_plan_options::no_store,
          &sparsecast_plan_options::kernel, &sparsecast_plan_options::model, &sparsecast_plan_options::kernels,
          &sparsecast_plan_options::products, &sparsecast_plan_options::powers> {};
template <>
struct Members<sparsecast_strategy>
    : MemberList<&sparsecast_strategy::blocks, &sparsecast_strategy::predicted_s, &sparsecast_strategy::conversion_s,
                 &sparsecast_strategy::best_single, &sparsecast_strategy::singles, &sparsecast_strategy::best_cut,
                 &sparsecast_strategy::gain, &sparsecast_strategy::gain_low, &sparsecast_strategy::gain_high,
                 &sparsecast_strategy::cut, &sparsecast_strategy::threads, &sparsecast_strategy::reason,
                 &sparsecast_strategy::strips, &sparsecast_strategy::strip_rows, &sparsecast_strategy::iterations,
                 &sparsecast_strategy::break_even, &sparsecast_strategy::planning_s, &sparsecast_strategy::vectors,
                 &sparsecast_strategy::transposed, &sparsecast_strategy::trials, &sparsecast_strategy::transpose,
                 &sparsecast_strategy::powers> {};
template <>
struct Members<sparsecast_powers>
    : MemberList<&sparsecast_powers::k, &sparsecast_powers::pays, &sparsecast_powers::all_pays,
                 &sparsecast_powers::seconds, &sparsecast_powers::low_s, &sparsecast_powers::high_s,
                 &sparsecast_powers::all_s, &sparsecast_powers::products_s, &sparsecast_powers::reason,
                 &sparsecast_powers::order, &sparsecast_powers::kernel, &sparsecast_powers::depth,
                 &sparsecast_powers::block_rows, &sparsecast_powers::blocks, &sparsecast_powers::resident_bytes> {};
template <>
struct Members<sparsecast_planned_block>
    : MemberList<&sparsecast_planned_block::first_strip, &sparsecast_planned_block::last_strip,
                 &sparsecast_planned_block::first_row, &sparsecast_planned_block::last_row,
                 &sparsecast_planned_block::kernel, &sparsecast_planned_block::reordered,
                 &sparsecast_planned_block::seconds, &sparsecast_planned_block::conversion_s,
                 &sparsecast_planned_block::extrapolated> {};
template <>
struct Members<sparsecast_predict_options>
    : MemberList<&sparsecast_predict_options::device, &sparsecast_predict_options::profile,
                 &sparsecast_predict_options::model, &sparsecast_predict_options::precision,
                 &sparsecast_predict_options::threads, &sparsecast_predict_options::vectors,
                 &sparsecast_predict_options::iterations, &sparsecast_predict_options::transposed,
                 &sparsecast_predict_options::choose_threads, &sparsecast_predict_options::check_drift,
                 &sparsecast_predict_options::no_store, &sparsecast_predict_options::anchors,
                 &sparsecast_predict_options::kernels, &sparsecast_predict_options::places,
                 &sparsecast_predict_options::powers> {};
template <>
struct Members<sparsecast_prediction_summary>
    : MemberList<&sparsecast_prediction_summary::matrix, &sparsecast_prediction_summary::device,
                 &sparsecast_prediction_summary::precision, &sparsecast_prediction_summary::vectors,
                 &sparsecast_prediction_summary::transposed, &sparsecast_prediction_summary::threads,
                 &sparsecast_prediction_summary::enough_threads, &sparsecast_prediction_summary::drift,
                 &sparsecast_prediction_summary::thread_counts, &sparsecast_prediction_summary::forecasts,
                 &sparsecast_prediction_summary::recommended, &sparsecast_prediction_summary::neighbours,
                 &sparsecast_prediction_summary::powers> {};
template <>
struct Members<sparsecast_forecast>
    : MemberList<&sparsecast_forecast::kernel, &sparsecast_forecast::model, &sparsecast_forecast::seconds,
                 &sparsecast_forecast::low_s, &sparsecast_forecast::high_s, &sparsecast_forecast::gflops,
                 &sparsecast_forecast::bytes, &sparsecast_forecast::preprocess_s,
                 &sparsecast_forecast::preprocess_low_s, &sparsecast_forecast::preprocess_high_s,
                 &sparsecast_forecast::extrapolated, &sparsecast_forecast::records_precision,
                 &sparsecast_forecast::tier, &sparsecast_forecast::bound_by, &sparsecast_forecast::total_s,
                 &sparsecast_forecast::parts, &sparsecast_forecast::moved, &sparsecast_forecast::beyond,
                 &sparsecast_forecast::learned_of, &sparsecast_forecast::fits> {};
template <>
struct Members<sparsecast_forecast_part>
    : MemberList<&sparsecast_forecast_part::term, &sparsecast_forecast_part::seconds,
                 &sparsecast_forecast_part::bytes> {};
template <>
struct Members<sparsecast_recommendation>
    : MemberList<&sparsecast_recommendation::kernel, &sparsecast_recommendation::seconds,
                 &sparsecast_recommendation::reason, &sparsecast_recommendation::advice> {};
template <>
struct Members<sparsecast_calibrate_options>
    : MemberList<&sparsecast_calibrate_options::device, &sparsecast_calibrate_options::quick,
                 &sparsecast_calibrate_options::fresh, &sparsecast_calibrate_options::only_instructions,
                 &sparsecast_calibrate_options::papers, &sparsecast_calibrate_options::precision,
                 &sparsecast_calibrate_options::threads, &sparsecast_calibrate_options::minutes> {};
}  // namespace sparsecast::c_interface
