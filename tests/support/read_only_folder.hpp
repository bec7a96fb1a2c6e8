#pragma once
// A folder of files that may only be read, by somebody whom that binds: the superuser is another user meanwhile.

#include <unistd.h>
#include <filesystem>

namespace sparsecast::test {
class ReadOnlyFolder {
 public:
  explicit ReadOnlyFolder(const std::filesystem::path& folder) : folder_(folder), superuser_(geteuid() == 0) {
    allow(std::filesystem::perms::none);
    if (superuser_) static_cast<void>(!seteuid(nobody));
  }
  ~ReadOnlyFolder() {
    if (superuser_) static_cast<void>(!seteuid(0));
    allow(std::filesystem::perms::owner_write);
  }
  ReadOnlyFolder(const ReadOnlyFolder&) = delete;
  ReadOnlyFolder& operator=(const ReadOnlyFolder&) = delete;

 private:
  static constexpr uid_t nobody = 65534;

  void allow(std::filesystem::perms more) const {
    using std::filesystem::perms;
    const perms read = perms::owner_read | perms::group_read | perms::others_read;
    const perms enter = perms::owner_exec | perms::group_exec | perms::others_exec;
    std::filesystem::permissions(folder_, read | enter | more);
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      std::filesystem::permissions(entry.path(), read | more);
  }

  std::filesystem::path folder_;
  bool superuser_;
};
}  // namespace sparsecast::test
