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
      std::tuple(field<&ProfileSummary::name>("of the profile"), field<&ProfileSummary::device>(""),
                 field<&ProfileSummary::model>("the vendor's name"), field<&ProfileSummary::software>("that measured"),
                 field<&ProfileSummary::taken>("UTC of the newest record"),
                 field<&ProfileSummary::matrices>("that were multiplied", at_least(0)),
                 field<&ProfileSummary::records>("of a kernel on a matrix", at_least(0)));
};

template <>
struct Fields<ProfileList> {
  static constexpr std::string_view about = "What profiles() answers: the profiles of the store";
  static constexpr auto table = std::tuple(field<&ProfileList::profiles>("in the store"));
};

template <>
struct Fields<ProfilesRequest> {
  static constexpr std::string_view about = "Nothing is asked but what was measured.";
  static constexpr auto table = std::tuple();
};

template <>
struct Fields<ProfileContents> {
  static constexpr std::string_view about = "One profile of the store";
  static constexpr auto table =
      std::tuple(field<&ProfileContents::summary>("").in_its_place(), field<&ProfileContents::properties>(""),
                 field<&ProfileContents::curves>("that were measured"),
                 field<&ProfileContents::micro_benchmarks>("empty for all but CUDA devices"));
};

template <>
struct Fields<ProfileRequest> {
  static constexpr std::string_view about = "Which profile.";
  static constexpr auto table = std::tuple(field<&ProfileRequest::profile>("its name, or its file"));
};

template <>
struct Fields<ExportRequest> {
  static constexpr std::string_view about = "Which profile, and where it is written.";
  static constexpr auto table = std::tuple(field<&ExportRequest::profile>("its name"), field<&ExportRequest::file>(""));
};

template <>
struct Fields<ObservedProducts> {
  static constexpr std::string_view about = "What was measured on users' matrices";
  static constexpr auto table = std::tuple(field<&ObservedProducts::observations>("oldest first"));
};

template <>
struct Fields<Constant> {
  static constexpr std::string_view about = "A number that forecasts rest on, and where it is from.";
  static constexpr auto table = std::tuple(
      field<&Constant::name>(""), field<&Constant::value>("of several the first"),
      field<&Constant::values>("all, where there are several").where_known(), field<&Constant::unit>(""),
      field<&Constant::kind>("physical: by a standard or a data sheet; measured here; learned from tables; chosen"),
      field<&Constant::source>("where it is from, or why it was chosen"),
      field<&Constant::file>("of src/, that it stands in"));
};

template <>
struct Fields<ConstantList> {
  static constexpr std::string_view about = "The constants that forecasts rest on";
  static constexpr auto table = std::tuple(field<&ConstantList::constants>("as in src/constants.tsv"));
};

template <>
struct Fields<LearnedTable> {
  static constexpr std::string_view about = "A table of measured times that a model was learned from.";
  static constexpr auto table =
      std::tuple(field<&LearnedTable::table>("folder and file"), field<&LearnedTable::sha256>("of the file"),
                 field<&LearnedTable::bytes>("of the file", at_least(0)));
};

template <>
struct Fields<ShippedModel> {
  static constexpr std::string_view about = "A model whose coefficients are shipped.";
  static constexpr auto table =
      std::tuple(field<&ShippedModel::name>("its card is docs/models/NAME.md").or_default(),
                 field<&ShippedModel::hash>("SHA-256 of its file").or_default(),
                 field<&ShippedModel::command>("that writes the file again"),
                 field<&ShippedModel::licence>("of the tables"), field<&ShippedModel::date>("when it was learned"),
                 field<&ShippedModel::learned_from>("empty where nothing but constants is shipped"));
};

template <>
struct Fields<VersionDetails> {
  static constexpr std::string_view about = "What this program is, and what was built in";
  static constexpr auto table =
      std::tuple(field<&VersionDetails::version>("of the library"), field<&VersionDetails::models>(""));
};

}  // namespace sparsecast
