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
  static constexpr std::string_view about = "What is forecast, and for what.";
  static constexpr auto table = std::tuple(
      field<&PredictRequest::matrix>(
          "matrix files or ss:GROUP/NAME, folders of files, or structures (.json) as info prints them"),
      field<&PredictRequest::device>(
          "host, opencl:N, cuda:N, a profile's or a described machine's name, or a description (FILE.json)"),
      field<&PredictRequest::profile>("a profile file instead of a device's own measurements"),
      field<&PredictRequest::anchors>("some products measured on the described device, a table or Ginkgo's JSON, which "
                                      "correct its forecasts"),
      field<&PredictRequest::model>("a model's name, 'best' (for each kernel the first in order of preference that has "
                                    "a forecast) or 'all'"),
      field<&PredictRequest::kernels>("only these kernels, separated by commas"),
      field<&PredictRequest::product>("").in_its_place(),
      field<&PredictRequest::threads>("of the host; 0: all", at_least(0)),
      field<&PredictRequest::places>("on a described processor: where threads run when they are fewer than its cores"),
      field<&PredictRequest::choose_threads>("the fastest number of threads instead"),
      field<&PredictRequest::iterations>("rank by the time of N products, conversion included", at_least(0)),
      field<&PredictRequest::powers>("also forecast Ax to A^kx, computed together (square matrices)", at_least(0)),
      field<&PredictRequest::no_store>("do not use or store measurements of this matrix"),
      field<&PredictRequest::check_drift>("time some products of the host's calibration again, which tells whether it "
                                          "has drifted"));
};

template <>
struct Fields<ThreadCount> {
  static constexpr std::string_view about = "What is forecast for one number of threads.";
  static constexpr auto table = std::tuple(
      field<&ThreadCount::threads>("", at_least(1)), field<&ThreadCount::kernel>("that finishes first"),
      field<&ThreadCount::seconds>("one product", above(0)),
      field<&ThreadCount::total_s>("the conversion and all products, where a number was asked for", above(0)));
};

template <>
struct Fields<DriftAnswer> {
  static constexpr std::string_view about = "Some products of the host's calibration timed again.";
  static constexpr auto table =
      std::tuple(field<&DriftAnswer::seen>("the median product is outside the forecasts' interval"),
                 field<&DriftAnswer::ratio>("median time now over the time recorded", above(0)),
                 field<&DriftAnswer::interval>("ratio that the intervals allow, to either side", at_least(0)),
                 field<&DriftAnswer::products>("that were timed", at_least(0)));
};

template <>
struct Fields<Prediction> {
  static constexpr std::string_view about = "What predict() answers for one matrix: forecasts, fastest first";
  static constexpr auto table = std::tuple(
      field<&Prediction::matrix>(""), field<&Prediction::device>(""), field<&Prediction::product>("").in_its_place(),
      field<&Prediction::threads>(
          "where threads were to be chosen: the count that is forecast to be fastest, which the forecasts "
          "are for",
          at_least(1))
          .where_known(),
      field<&Prediction::enough_threads>("the fewest within a twentieth of it", at_least(1)).where_known(),
      field<&Prediction::thread_counts>("").where_known(), field<&Prediction::forecasts>("fastest first"),
      field<&Prediction::recommended>("what to use"),
      field<&Prediction::drift>("some products of the host's calibration timed again; null where none were timed"),
      field<&Prediction::neighbours>(
          "the nearest of the alike patterns that have moved forecasts, and since when they were "
          "measured here")
          .where_known(),
      field<&Prediction::powers>("where powers were asked for").where_known());
};

}  // namespace sparsecast
