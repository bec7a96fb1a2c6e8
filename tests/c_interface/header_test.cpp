// What sparsecast.h declares beside what the library shows, the tables of fields hold and Fortran's module repeats.

#include <gtest/gtest.h>
#include <sparsecast.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "c_interface/members.hpp"
#include "support/command.hpp"

namespace sparsecast::c_interface {
namespace {

using Names = std::set<std::string>;

// Without comments.
std::string header_text() {
  const std::string text = test::read_text(SPARSECAST_SOURCE_DIR "/include/sparsecast.h");
  return std::regex_replace(text, std::regex(R"(/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)"), "");
}

Names matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  Names names;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it) names.insert((*it)[1]);
  return names;
}

Names declared_functions() { return matches(header_text(), R"(SPARSECAST_API[^;]*?(sparsecast_\w+)\()"); }

TEST(CInterfaceSymbols, AreWhatTheHeaderDeclaresWithTheirVersionAndNothingElse) {
  const test::CommandResult listed = test::run_program("/usr/bin/nm", {"-D", "--defined-only", C_LIBRARY});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  Names shown;
  std::istringstream lines(listed.out);
  for (std::string address, type, name; lines >> address >> type >> name;)
    if (type != "A") shown.insert(name);  // A: the name of the version itself
  Names wanted;
  for (const std::string& name : declared_functions()) wanted.insert(name + "@@SPARSECAST_0");
  EXPECT_EQ(shown, wanted);
  EXPECT_GE(wanted.size(), 30U);
  EXPECT_LE(wanted.size(), 60U);
}

TEST(CInterfaceSymbols, AreAllInTheModuleForFortran) {
  const std::string module = test::read_text(SPARSECAST_SOURCE_DIR "/integrations/fortran/sparsecast.f90");
  EXPECT_EQ(matches(module, R"(\n    function (sparsecast_\w+)\()"), declared_functions());
  const Names constants = matches(header_text(), R"((SPARSECAST_\w+) = )");
  EXPECT_GE(constants.size(), 20U);
  EXPECT_EQ(matches(module, R"(\b(SPARSECAST_\w+) = )"), constants);
}

using Words = std::vector<std::string>;
Words words_in(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  Words words;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it) words.push_back((*it)[1]);
  return words;
}
std::string between(const std::string& text, const std::string& open, const std::string& close) {
  const std::size_t begin = text.find(open);
  if (begin == std::string::npos) return {};
  return text.substr(begin + open.size(), text.find(close, begin) - begin - open.size());
}
// Fortran's module without comments, every statement in one line.
std::string module_text() {
  std::string text = test::read_text(SPARSECAST_SOURCE_DIR "/integrations/fortran/sparsecast.f90");
  text = std::regex_replace(text, std::regex("![^\n]*"), "");
  return std::regex_replace(text, std::regex("&\\s*\n\\s*"), "");
}

TEST(CInterfaceSymbols, HaveTheSameStructsInFortran) {
  const std::map<std::string, std::size_t> sizes{
      {"sparsecast_calibrate_options", sizeof(sparsecast_calibrate_options)},
      {"sparsecast_csr", sizeof(sparsecast_csr)},
      {"sparsecast_matrix_size", sizeof(sparsecast_matrix_size)},
      {"sparsecast_plan_options", sizeof(sparsecast_plan_options)},
      {"sparsecast_strategy", sizeof(sparsecast_strategy)},
      {"sparsecast_powers", sizeof(sparsecast_powers)},
      {"sparsecast_planned_block", sizeof(sparsecast_planned_block)},
      {"sparsecast_predict_options", sizeof(sparsecast_predict_options)},
      {"sparsecast_prediction_summary", sizeof(sparsecast_prediction_summary)},
      {"sparsecast_forecast", sizeof(sparsecast_forecast)},
      {"sparsecast_forecast_part", sizeof(sparsecast_forecast_part)},
      {"sparsecast_recommendation", sizeof(sparsecast_recommendation)}};
  const std::string header = header_text(), module = module_text();
  EXPECT_EQ(matches(header, R"(typedef struct (sparsecast_\w+) \{)").size(), sizes.size());
  for (const auto& [name, size] : sizes) {
    const std::string type = between(module, "type, bind(c) :: " + name + "\n", "end type");
    const Words members = words_in(between(header, "typedef struct " + name + " {", "} " + name), R"((\w+)(?:,|;))");
    ASSERT_GE(members.size(), 4U) << name;
    EXPECT_EQ(words_in(type, R"((\w+) = )"), members) << name;
    EXPECT_EQ(words_in(type, R"(struct_size = (\d+)_c_size_t)"), Words{std::to_string(size)}) << name;
  }
}

TEST(CInterfaceSymbols, TakeTheSameArgumentsInFortran) {
  const std::string header = std::regex_replace(header_text(), std::regex(R"(\s+)"), " "), module = module_text();
  int compared = 0;
  for (const std::string& name : declared_functions()) {
    const std::string of_c = between(header, name + "(", ");");
    const Words arguments = of_c == "void" ? Words() : words_in(of_c + ",", R"((\w+),)");
    EXPECT_EQ(words_in(between(module, "function " + name + "(", ")") + ",", R"((\w+),)"), arguments) << name;
    ++compared;
  }
  EXPECT_GE(compared, 30);
}

// Members of a struct as a text declares them: all words before a comma or semicolon.
Names members_in(const std::string& text, const std::string& name) {
  const std::string open = "typedef struct " + name + " {";
  const std::size_t begin = text.find(open) + open.size();
  return matches(text.substr(begin, text.find("} " + name, begin) - begin), R"((\w+)(?:,|;))");
}

template <class C>
void every_member_is_filled(const std::string& name, Names besides) {
  besides.insert({"struct_size"});
  std::apply([&](const auto&... member) { (besides.insert(std::string(member.name)), ...); }, Members<C>::table);
  Names declared = members_in(header_text(), name);
  declared.erase("reserved");
  EXPECT_EQ(declared, besides) << name;
}

TEST(CInterfaceStructs, HaveTheFieldsOfRequestsAndAnswersAndWhatIsListedHere) {
  every_member_is_filled<sparsecast_forecast>("sparsecast_forecast", {});
  every_member_is_filled<sparsecast_forecast_part>("sparsecast_forecast_part", {});
  every_member_is_filled<sparsecast_recommendation>("sparsecast_recommendation", {});
  every_member_is_filled<sparsecast_prediction_summary>("sparsecast_prediction_summary", {});
  every_member_is_filled<sparsecast_predict_options>("sparsecast_predict_options", {});
  every_member_is_filled<sparsecast_powers>("sparsecast_powers", {});
  every_member_is_filled<sparsecast_planned_block>("sparsecast_planned_block", {});
  every_member_is_filled<sparsecast_calibrate_options>("sparsecast_calibrate_options",
                                                       {"matrices", "matrix_count", "progress", "user"});
  every_member_is_filled<sparsecast_plan_options>("sparsecast_plan_options", {"kernel"});
  every_member_is_filled<sparsecast_strategy>("sparsecast_strategy", {"rows", "cols", "nonzeros", "device", "precision",
                                                                      "bytes", "copied_bytes", "conversion_took_s"});
}

}  // namespace
}  // namespace sparsecast::c_interface
