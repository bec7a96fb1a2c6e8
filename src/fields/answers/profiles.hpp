#pragma once
// The fields of <sparsecast/answers/profiles.hpp>.

#include <sparsecast/answers/profiles.hpp>

#include "fields/answers/request.hpp"
#include "fields/curve.hpp"
#include "fields/device.hpp"
#include "fields/fields.hpp"
#include "fields/micro_benchmark.hpp"
#include "fields/observed_product.hpp"

namespace sparsecast {

template <>
struct Fields<ProfileSummary> {
  static constexpr std::string_view about = "What was measured on one device.";
  static constexpr auto table =
      std::tuple(field<&ProfileSummary::name>("name of the profile"), field<&ProfileSummary::device>(""),
                 field<&ProfileSummary::model>("the vendor's name for the device"),
                 field<&ProfileSummary::software>("program that measured"),
                 field<&ProfileSummary::taken>("date and time (UTC) of the newest record"),
                 field<&ProfileSummary::matrices>("number of benchmark matrices that were multiplied", at_least(0)),
                 field<&ProfileSummary::records>("number of records: one kernel on one matrix each", at_least(0)));
};

template <>
struct Fields<ProfileList> {
  static constexpr std::string_view about = "Result of profiles(): the profiles in the store";
  static constexpr auto table = std::tuple(field<&ProfileList::profiles>("the profiles in the store"));
};

template <>
struct Fields<ProfilesRequest> {
  static constexpr std::string_view about = "The request has no fields.";
  static constexpr auto table = std::tuple();
};

template <>
struct Fields<ProfileContents> {
  static constexpr std::string_view about = "One profile in the store";
  static constexpr auto table =
      std::tuple(field<&ProfileContents::summary>("").in_its_place(), field<&ProfileContents::properties>(""),
                 field<&ProfileContents::curves>("curves that were measured"),
                 field<&ProfileContents::micro_benchmarks>("micro-benchmarks; empty except for CUDA devices"));
};

template <>
struct Fields<ProfileRequest> {
  static constexpr std::string_view about = "Which profile to show.";
  static constexpr auto table = std::tuple(field<&ProfileRequest::profile>("name of the profile, or its file"));
};

template <>
struct Fields<ExportRequest> {
  static constexpr std::string_view about = "Which profile to export, and where to.";
  static constexpr auto table =
      std::tuple(field<&ExportRequest::profile>("name of the profile"), field<&ExportRequest::file>(""));
};

template <>
struct Fields<ObservedProducts> {
  static constexpr std::string_view about = "What was measured on users' matrices";
  static constexpr auto table = std::tuple(field<&ObservedProducts::observations>("products, oldest first"));
};

template <>
struct Fields<Constant> {
  static constexpr std::string_view about = "A number that forecasts are based on, and where it comes from.";
  static constexpr auto table =
      std::tuple(field<&Constant::name>(""), field<&Constant::value>("the value; the first one if there are several"),
                 field<&Constant::values>("all values, if there are several").where_known(), field<&Constant::unit>(""),
                 field<&Constant::kind>(
                     "physical (from a standard or a data sheet), measured (here), learned (from tables) or chosen"),
                 field<&Constant::source>("where the number comes from, or why it was chosen"),
                 field<&Constant::file>("file under src/ that holds it"));
};

template <>
struct Fields<ConstantList> {
  static constexpr std::string_view about = "The constants that forecasts are based on";
  static constexpr auto table = std::tuple(field<&ConstantList::constants>("constants, as in src/constants.tsv"));
};

template <>
struct Fields<LearnedTable> {
  static constexpr std::string_view about = "A table of measured times that a model was learned from.";
  static constexpr auto table = std::tuple(field<&LearnedTable::table>("folder and file name of the table"),
                                           field<&LearnedTable::sha256>("SHA-256 of the file"),
                                           field<&LearnedTable::bytes>("size of the file in bytes", at_least(0)));
};

template <>
struct Fields<ShippedModel> {
  static constexpr std::string_view about = "A model whose coefficients are shipped.";
  static constexpr auto table = std::tuple(
      field<&ShippedModel::name>("name of the model, which is described in docs/models/NAME.md").or_default(),
      field<&ShippedModel::hash>("SHA-256 of its file").or_default(),
      field<&ShippedModel::command>("command that produces the file again"),
      field<&ShippedModel::licence>("licence of the tables"),
      field<&ShippedModel::date>("date when the model was learned"),
      field<&ShippedModel::learned_from>("tables that it was learned from; empty if only constants are shipped"));
};

template <>
struct Fields<VersionDetails> {
  static constexpr std::string_view about = "The version of this program, and what was built in";
  static constexpr auto table =
      std::tuple(field<&VersionDetails::version>("version of the library"), field<&VersionDetails::models>(""));
};

}  // namespace sparsecast
