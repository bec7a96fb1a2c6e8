#include "cluster/features/simulated_load.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>
#include <sstream>

namespace sparsecast::cluster {
std::string to_line(const SimulatedLoad& load) {
  std::string line = fmt::format("{} {} {} {}", load.rows, load.pack_s, load.own_s, load.remote_s);
  for (const auto* messages : {&load.receives, &load.sends}) {
    line += fmt::format(" {}", messages->size());
    for (const Message& message : *messages) line += fmt::format(" {} {}", message.rank, message.count);
  }
  return line + '\n';
}

SimulatedLoad parse_load(std::string_view line) {
  std::istringstream stream{std::string(line)};
  SimulatedLoad load;
  stream >> load.rows >> load.pack_s >> load.own_s >> load.remote_s;
  for (auto* messages : {&load.receives, &load.sends}) {
    std::size_t count = 0;
    stream >> count;
    for (Message message; messages->size() < count && stream >> message.rank >> message.count;)
      messages->push_back(message);
  }
  if (!stream) throw Error(ErrorCode::bad_input, "not the load of a rank");
  return load;
}
}  // namespace sparsecast::cluster
