#include "support/schema.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {
namespace fs = std::filesystem;
const fs::path source = SPARSECAST_SOURCE_DIR;
const fs::path python = source / ".venv/bin/python";

// validate_document.py, which a test program starts once and which ends with it.
class Validator {
 public:
  Validator() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no socket");
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], 0);
      ::dup2(ends[1], 1);
      const std::string program = source / "tests/app/validate_document.py", schemas = source / "docs/schemas";
      ::execl(python.c_str(), python.c_str(), program.c_str(), schemas.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    socket_ = ends[0];
  }
  ~Validator() {
    ::close(socket_);
    ::waitpid(child_, nullptr, 0);
  }
  Validator(const Validator&) = delete;
  Validator& operator=(const Validator&) = delete;

  // What is wrong with the document; nothing where there is nobody to say.
  std::optional<std::string> ask(const std::string& document) {
    if (!send(std::to_string(document.size()) + "\n" + document)) return {};
    std::string length;
    for (char c = 0; c != '\n'; length += c)
      if (::recv(socket_, &c, 1, 0) != 1) return {};
    std::string said(std::stoul(length), ' ');
    if (!said.empty() && ::recv(socket_, said.data(), said.size(), MSG_WAITALL) != static_cast<ssize_t>(said.size()))
      return {};
    return said;
  }

 private:
  [[nodiscard]] bool send(const std::string& text) const {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t now = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return false;
      sent += static_cast<std::size_t>(now);
    }
    return true;
  }

  int socket_ = -1;
  pid_t child_ = 0;
};

std::optional<std::string> what_is_wrong(const std::string& document) {
  static Validator validator;
  return validator.ask(document);
}
}  // namespace

bool can_validate() { return run_program(python.string(), {"-c", "import jsonschema"}).exit_code == 0; }

::testing::AssertionResult fits_its_schema(const std::string& document) {
  const std::optional<std::string> wrong = what_is_wrong(document);
  if (!wrong) {
    if (parts_are_required()) return ::testing::AssertionFailure() << without(parts::schemas);
    return ::testing::AssertionSuccess();
  }
  if (wrong->empty()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << *wrong << '\n' << document.substr(0, 400);
}

nlohmann::json document_of(const std::vector<std::string>& arguments) {
  const CommandResult result = sparsecast(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fits_its_schema(result.out));
  return nlohmann::json::parse(result.out);
}

}  // namespace sparsecast::test
