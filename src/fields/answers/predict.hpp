#pragma once
// The fields of <sparsecast/answers/predict.hpp>.

#include <sparsecast/answers/predict.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/forecast.hpp"
#include "fields/places.hpp"
#include "fields/powers.hpp"
#include "fields/product.hpp"
#include "fields/recommend.hpp"
#include "fields/tier.hpp"

namespace sparsecast {

template <>
struct Fields<PredictRequest> {
  static constexpr std::string_view about = "What to forecast, and for what use.";
  static constexpr auto table = std::tuple(
      field<&PredictRequest::matrix>(
          "matrix files, ss:GROUP/NAME, folders of files, or structures (.json) as info prints them"),
      field<&PredictRequest::device>("device: host, opencl:N, cuda:N, the name of a profile or of a described machine, "
                                     "or a description (FILE.json)"),
      field<&PredictRequest::profile>(
          "read the measurements from this profile file instead of the device's own profile"),
      field<&PredictRequest::anchors>(
          "correct the described device's forecasts by a few products measured on it, as a table or Ginkgo's JSON"),
      field<&PredictRequest::model>(
          "name of a model, 'best' (for each kernel the first model that has a forecast) or 'all'"),
      field<&PredictRequest::kernels>("consider only these kernels, separated by commas"),
      field<&PredictRequest::product>("").in_its_place(),
      field<&PredictRequest::threads>("host threads; 0: one per available core", host_threads),
      field<&PredictRequest::places>(
          "on a described processor: where the threads run if there are fewer of them than cores"),
      field<&PredictRequest::choose_threads>("use the number of threads that is forecast to be fastest"),
      field<&PredictRequest::iterations>("rank by the total time of N products, including the conversion", at_least(0)),
      field<&PredictRequest::powers>("also forecast Ax to A^kx, computed together (square matrices)", at_least(0)),
      field<&PredictRequest::no_store>("neither use nor store measurements of this matrix"),
      field<&PredictRequest::check_drift>(
          "time a few products of the host's calibration again, to see whether the machine has drifted since"));
};

template <>
struct Fields<ThreadCount> {
  static constexpr std::string_view about = "The forecast for one number of threads.";
  static constexpr auto table = std::tuple(
      field<&ThreadCount::threads>("", at_least(1)), field<&ThreadCount::kernel>("kernel that finishes first"),
      field<&ThreadCount::seconds>("time of one product", above(0)),
      field<&ThreadCount::total_s>("time of the conversion and all products, if a number was given", above(0)));
};

template <>
struct Fields<DriftAnswer> {
  static constexpr std::string_view about = "A few products of the host's calibration, timed again.";
  static constexpr auto table =
      std::tuple(field<&DriftAnswer::seen>("true: the median product is outside the forecasts' interval"),
                 field<&DriftAnswer::ratio>("median of time now / recorded time", above(0)),
                 field<&DriftAnswer::interval>("factor that the intervals allow in either direction", at_least(0)),
                 field<&DriftAnswer::products>("number of products that were timed", at_least(0)));
};

template <>
struct Fields<Prediction> {
  static constexpr std::string_view about = "Result of predict() for one matrix: forecasts, fastest first";
  static constexpr auto table = std::tuple(
      field<&Prediction::matrix>(""), field<&Prediction::device>(""), field<&Prediction::product>("").in_its_place(),
      field<&Prediction::threads>("if the number of threads was to be chosen: the one that is forecast to be fastest, "
                                  "for which the forecasts are",
                                  at_least(1))
          .where_known(),
      field<&Prediction::enough_threads>("the smallest number of threads within a twentieth of the fastest",
                                         at_least(1))
          .where_known(),
      field<&Prediction::thread_counts>("").where_known(), field<&Prediction::forecasts>("sorted, fastest first"),
      field<&Prediction::recommended>("the recommended kernel"),
      field<&Prediction::drift>("a few products of the host's calibration, timed again; null if none were timed"),
      field<&Prediction::neighbours>(
          "the nearest similar patterns whose measurements changed the forecasts, and when they were measured here")
          .where_known(),
      field<&Prediction::powers>("powers of the matrix, if they were requested").where_known());
};

}  // namespace sparsecast
