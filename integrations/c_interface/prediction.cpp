// Forecasts as structs.

#include "c_interface/members.hpp"
#include "c_interface/objects.hpp"
#include "c_interface/remarks.hpp"

using namespace sparsecast::c_interface;  // C's names stand in no namespace

int sparsecast_predict(const sparsecast_matrix* matrix, const sparsecast_predict_options* options,
                       sparsecast_prediction** prediction) {
  return give(prediction, [&] {
    const Remarks remarks;
    const Reading from(matrix);
    sparsecast::PredictRequest request;
    request.listener = remarks.listener();
    request.matrix = from->matrix;
    request.product.precision = from->precision();
    take_fields(request, taken(options));
    return sparsecast::predict(request);
  });
}

int sparsecast_prediction_info(const sparsecast_prediction* prediction, sparsecast_prediction_summary* info) {
  return guarded([&] {
    const Reading from(prediction);
    hand_out(told_of<sparsecast_prediction_summary>(*from), info);
  });
}

int sparsecast_prediction_forecast(const sparsecast_prediction* prediction, int64_t index,
                                   sparsecast_forecast* forecast) {
  return guarded([&] {
    const Reading from(prediction);
    hand_out(told_of<sparsecast_forecast>(nth(from->forecasts, index, "forecast")), forecast);
  });
}

int sparsecast_prediction_part(const sparsecast_prediction* prediction, int64_t index, int64_t part,
                               sparsecast_forecast_part* term) {
  return guarded([&] {
    const Reading from(prediction);
    const auto& parts = nth(from->forecasts, index, "forecast").parts;
    hand_out(told_of<sparsecast_forecast_part>(nth(parts, part, "part")), term);
  });
}

int sparsecast_prediction_recommendation(const sparsecast_prediction* prediction,
                                         sparsecast_recommendation* recommendation) {
  return guarded([&] {
    const Reading from(prediction);
    hand_out(told_of<sparsecast_recommendation>(from->recommended), recommendation);
  });
}

int sparsecast_prediction_powers(const sparsecast_prediction* prediction, sparsecast_powers* powers) {
  return guarded([&] {
    const Reading from(prediction);
    if (!from->powers) refuse_usage("no powers were requested");
    hand_out(told_of<sparsecast_powers>(*from->powers), powers);
  });
}

int sparsecast_prediction_free(sparsecast_prediction* prediction) { return free_handle(prediction); }
