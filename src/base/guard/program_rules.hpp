#pragma once
// Which programs this process may start, and how: a user who does not trust what is given forbids them all, and what
// others wrote runs in a sandbox.

#include <string_view>

namespace sparsecast::base {
/// Which programs this process starts, and how.
struct ProgramRules {
  bool forbidden = false;  ///< none, whatever it is asked to do (--no-run)
  bool confined = false;   ///< those that tell their folders (ChildJob) in a sandbox
};
/// In addition to those that hold already, on this thread, as long as it lives; parallel_for hands them on.
class ProgramScope {
 public:
  explicit ProgramScope(ProgramRules more) noexcept;
  ~ProgramScope();
  ProgramScope& operator=(ProgramScope&&) = delete;  // nor copied

 private:
  ProgramRules before_;
};
[[nodiscard]] ProgramRules program_rules() noexcept;
/// Error usage that names the program where they are forbidden.
void require_programs_allowed(std::string_view program);
}  // namespace sparsecast::base
