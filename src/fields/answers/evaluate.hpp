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
  static constexpr std::string_view about = "What to judge.";
  static constexpr auto table = std::tuple(
      field<&EvaluateRequest::matrices>("matrix files, or folders of them, to measure here"),
      field<&EvaluateRequest::device>("device: host, opencl:N or cuda:N; with records also the name of a described "
                                      "machine or a description (FILE.json)"),
      field<&EvaluateRequest::records>(
          "judge a table of measured times with features (.tsv, .tsv.gz) instead of matrices"),
      field<&EvaluateRequest::profile>("with records: a profile file instead of the name of a device"),
      field<&EvaluateRequest::anchors>("with records: correct the described device's forecasts by a few products "
                                       "measured on it, as a table or Ginkgo's JSON"),
      field<&EvaluateRequest::leave_out>("with records: judge each matrix by fits that leave out those matrices of the "
                                         "profile whose COLUMN (twin_of or matrix) has its name"),
      field<&EvaluateRequest::model>("name of a model, or 'all'"),
      field<&EvaluateRequest::stored>("judge times that are in the store, and measure only what is missing"),
      field<&EvaluateRequest::kernels>("consider only these kernels, separated by commas"),
      field<&EvaluateRequest::product>("").in_its_place(),
      field<&EvaluateRequest::threads>("host threads; 0: one per available core", host_threads),
      field<&EvaluateRequest::places>(
          "on a described processor: where the threads run if there are fewer of them than cores"),
      field<&EvaluateRequest::no_store>("do not keep the times for later forecasts of these matrices"));
};

template <>
struct Fields<NotJudged> {
  static constexpr std::string_view about = "What was not judged, and why.";
  static constexpr auto table = std::tuple(field<&NotJudged::matrix>(""),
                                           field<&NotJudged::kernel>("kernel that was not judged; empty: all of them"),
                                           field<&NotJudged::reason>(""));
};

template <>
struct Fields<Evaluation> {
  static constexpr std::string_view about =
      "Result of evaluate(): errors are |predicted - measured| / measured, as fractions";
  static constexpr auto table = std::tuple(field<&Evaluation::product>("").in_its_place(),
                                           field<&Evaluation::cases>("every forecast with its measured time"),
                                           field<&Evaluation::summary>("errors by kernel and model"),
                                           field<&Evaluation::selection>("cost of the recommendations, by model"),
                                           field<&Evaluation::skipped>("what was not judged"));
};

}  // namespace sparsecast
