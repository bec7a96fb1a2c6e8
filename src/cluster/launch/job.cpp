#include "cluster/launch/job.hpp"

#include <cctype>
#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "fields/cluster_forecast.hpp"
#include "fields/json.hpp"
#include "fields/precision.hpp"
#include "fields/wording.hpp"

namespace sparsecast {
template <>
struct Words<cluster::Task> {
  static constexpr std::array table{std::pair{cluster::Task::measure, std::string_view("measure")},
                                    std::pair{cluster::Task::simulate, std::string_view("simulate")},
                                    std::pair{cluster::Task::benchmark, std::string_view("benchmark")}};
};
template <>
struct Words<cluster::MatrixForm> {
  static constexpr std::array table{std::pair{cluster::MatrixForm::market, std::string_view("market")},
                                    std::pair{cluster::MatrixForm::entries, std::string_view("entries")}};
};
template <>
struct Fields<cluster::JobMatrix> {
  static constexpr auto table = std::tuple(field<&cluster::JobMatrix::file>(""), field<&cluster::JobMatrix::form>(""));
};
template <>
struct Fields<cluster::Case> {
  static constexpr auto table =
      std::tuple(field<&cluster::Case::scheme>("").as("way"), field<&cluster::Case::format>(""));
};
template <>
struct Fields<cluster::Job> {
  using J = cluster::Job;
  static constexpr auto table =
      std::tuple(field<&J::task>(""), field<&J::matrix>(""), field<&J::cases>(""), field<&J::iterations>(""),
                 field<&J::threads>("", at_least(1)).or_default(), field<&J::precision>("").or_default(),
                 field<&J::seed>(""), field<&J::budget_s>(""), field<&J::keep_vectors>(""),
                 field<&J::largest_message_bytes>(""), field<&J::limit_s>("").or_default());
};
}  // namespace sparsecast

namespace sparsecast::cluster {
using nlohmann::ordered_json;

std::string to_text(const Job& job) { return base::json_text(fields::written(job), 2) + "\n"; }

Job parse_job(const std::string& text, const std::string& file) {
  try {
    return fields::read_struct<Job>(base::parse_json(text, {}));
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_input, "not a job of sparsecast cluster: " + error.reason(), {file});
  }
}

ordered_json error_json(const Error& error) {
  return {{"code", static_cast<int>(error.code())},
          {"reason", wording::Marks::of(error.reason_text())},
          {"file", error.place().file},
          {"line", error.place().line},
          {"column", error.place().column},
          {"remedy", wording::Marks::of(error.remedy_text())}};
}

Error error_from(const ordered_json& document) {
  return {static_cast<ErrorCode>(document.at("code").get<int>()),
          wording::Marks::text(document.at("reason")),
          {document.at("file"), document.at("line"), document.at("column")},
          wording::Marks::text(document.at("remedy"))};
}
}  // namespace sparsecast::cluster
