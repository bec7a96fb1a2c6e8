#include "base/guard/sandbox.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

// Numbers and layouts of <linux/landlock.h>, which builders' older headers lack or have in part.
namespace sparsecast::base {
namespace {
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr unsigned long ask_version = 1, path_beneath = 1;
struct Ruleset {
  std::uint64_t files = 0, network = 0, scope = 0;
};
struct [[gnu::packed]] Beneath {
  std::uint64_t allowed = 0;
  int folder = -1;
};
constexpr std::uint64_t write_file = 1 << 1, truncate = 1 << 14;
// All but to run, to read and to list: written, removed and made; linked elsewhere and cut short where it is known.
constexpr std::uint64_t writes(long version) {
  return write_file | 0x1ff0 | (version >= 2 ? 1 << 13 : 0) | (version >= 3 ? truncate : 0);
}

long landlock_version() noexcept { return ::syscall(create_ruleset, nullptr, 0, ask_version); }

#if defined(__x86_64__)
constexpr unsigned native = AUDIT_ARCH_X86_64, foreign_calls = 0x40000000;
#elif defined(__aarch64__)
constexpr unsigned native = AUDIT_ARCH_AARCH64, foreign_calls = 0x80000000;
#else
constexpr unsigned native = 0, foreign_calls = 0;
#endif

void forbid_sockets() noexcept {
  constexpr unsigned refused = SECCOMP_RET_ERRNO | EACCES, missing = SECCOMP_RET_ERRNO | ENOSYS;
  std::array<sock_filter, 9> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, native, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, foreign_calls, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, missing),
      BPF_STMT(BPF_RET | BPF_K, refused),
  }};
  const sock_fprog program{filter.size(), filter.data()};
  if (native != 0) ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
}  // namespace

bool Sandbox::holds_files() noexcept { return landlock_version() > 0; }

Sandbox::Sandbox(const std::vector<std::filesystem::path>& writes_beneath) {
  const long version = landlock_version();
  if (version < 1) return;
  constexpr long with_scope = 6;
  constexpr std::uint64_t sockets_and_signals = 3;
  const Ruleset ruleset{writes(version), 0, version >= with_scope ? sockets_and_signals : 0};
  rules_ = static_cast<int>(::syscall(create_ruleset, &ruleset, sizeof ruleset, 0));
  const auto allow = [&](const char* path, std::uint64_t what) {
    const Beneath rule{what, ::open(path, O_PATH | O_CLOEXEC)};
    if (rule.folder < 0) return;
    ::syscall(add_rule, rules_, path_beneath, &rule, 0);
    ::close(rule.folder);
  };
  for (const std::filesystem::path& folder : writes_beneath) allow(folder.c_str(), writes(version));
  allow("/dev/null", writes(version) & (write_file | truncate));
}

Sandbox::~Sandbox() {
  if (rules_ >= 0) ::close(rules_);
}

void Sandbox::enter() const noexcept {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (rules_ >= 0) ::syscall(restrict_self, rules_, 0);
  forbid_sockets();
}
}  // namespace sparsecast::base
