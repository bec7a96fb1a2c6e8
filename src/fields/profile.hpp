#pragma once
// The fields of <sparsecast/profile.hpp>.

#include <sparsecast/profile.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<Record> {
  static constexpr std::string_view about = "One kernel timed on one matrix.";
  static constexpr auto table = std::tuple(
      field<&Record::matrix>("index of the matrix in the profile", at_least(0)), field<&Record::kernel>(""),
      field<&Record::precision>(""), field<&Record::threads>("host threads; 0 on other devices").or_default(),
      field<&Record::seconds>("time of one product", above(0)),
      field<&Record::spread>("relative scatter of its blocks").or_default(),
      field<&Record::preprocess_s>("time of the conversion from CSR; 0: not measured").or_default(),
      field<&Record::step_s>("time of a fixed number of cycles when it was timed; 0: not known").or_default(),
      field<&Record::launch_s>("time to start the threads when it was timed; 0: not known").or_default(),
      field<&Record::taken>("date and time (UTC) of the measurement").or_default());
};

}  // namespace sparsecast
