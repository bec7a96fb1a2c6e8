#include "cluster/message_pattern.hpp"

#include <sparsecast/error.hpp>
#include <string>

namespace sparsecast::cluster {
MessagePattern message_pattern(std::string_view name) {
  for (const auto& [pattern, word] : Words<MessagePattern>::table)
    if (word == name) return pattern;
  throw Error(ErrorCode::failed, "there is no message pattern '" + std::string(name) + "'");
}
}  // namespace sparsecast::cluster
