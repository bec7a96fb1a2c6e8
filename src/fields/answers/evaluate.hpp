#pragma once
// The fields of <sparsecast/answers/evaluate.hpp>.

#include <sparsecast/answers/evaluate.hpp>

#include "fields/answers/request.hpp"
#include "fields/evaluation.hpp"
#include "fields/fields.hpp"
#include "fields/places.hpp"
#include "fields/product.hpp"

namespace sparsecast {

template <>
struct Fields<EvaluateRequest> {
  static constexpr std::string_view about = "What is judged.";
  static constexpr auto table = std::tuple(
      field<&EvaluateRequest::matrices>("matrix files or folders of them, to be measured here"),
      field<&EvaluateRequest::device>("host, opencl:N or cuda:N; with records also a described machine's name or a "
                                      "description (FILE.json)"),
      field<&EvaluateRequest::records>("a table of measured times with features (.tsv, .tsv.gz) instead of matrices"),
      field<&EvaluateRequest::profile>("with records: a profile file instead of a device's name"),
      field<&EvaluateRequest::anchors>("with records: some products measured on the described device, a table or "
                                       "Ginkgo's JSON, which correct its forecasts"),
      field<&EvaluateRequest::leave_out>("with records: judge each matrix by fits without the profile's matrices "
                                         "whose COLUMN (twin_of or matrix) is its name"),
      field<&EvaluateRequest::model>("a model's name or 'all'"),
      field<&EvaluateRequest::stored>("judge times that the store has already; measure only what is missing"),
      field<&EvaluateRequest::kernels>("only these kernels, separated by commas"),
      field<&EvaluateRequest::product>("").in_its_place(),
      field<&EvaluateRequest::threads>("of the host; 0: all", at_least(0)),
      field<&EvaluateRequest::places>("on a described processor: where threads run when they are fewer than its cores"),
      field<&EvaluateRequest::no_store>("do not keep the times for later forecasts of these matrices"));
};

template <>
struct Fields<NotJudged> {
  static constexpr std::string_view about = "What was not judged, and why.";
  static constexpr auto table =
      std::tuple(field<&NotJudged::matrix>(""), field<&NotJudged::kernel>("empty: all"), field<&NotJudged::reason>(""));
};

template <>
struct Fields<Evaluation> {
  static constexpr std::string_view about =
      "What evaluate() answers: errors are |predicted - measured| / measured, as fractions";
  static constexpr auto table = std::tuple(
      field<&Evaluation::product>("").in_its_place(), field<&Evaluation::cases>("every forecast with its time"),
      field<&Evaluation::summary>("by kernel and model"), field<&Evaluation::selection>("by model"),
      field<&Evaluation::skipped>("what was not judged"));
};

}  // namespace sparsecast
