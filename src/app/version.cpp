// What --version prints: the version and what was built in.

#include "app/commands.hpp"

namespace sparsecast::app {

std::string version_text() {
  std::string text = "sparsecast " SPARSECAST_VERSION "\ncompiler: " __VERSION__ "\nbuilt in: host";
  return text;
}

}  // namespace sparsecast::app
