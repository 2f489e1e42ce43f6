#include "grader/course/local_disk.hpp"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "grader/core/error.hpp"

namespace opgrade::course {

std::optional<std::string> network_file_system(std::int64_t statfs_type) {
  // From statfs(2) and each file system's own headers.
  static constexpr std::array<std::pair<std::uint32_t, const char*>, 15> kNetwork{{
      {0x6969, "NFS"},
      {0x517B, "SMB"},
      {0xFF534D42, "CIFS"},
      {0xFE534D42, "SMB2"},
      {0x5346414F, "AFS"},
      {0x6B414653, "kAFS"},
      {0x73757245, "Coda"},
      {0x564C, "NCP"},
      {0x00C36400, "Ceph"},
      {0x0BD00BD0, "Lustre"},
      {0x47504653, "GPFS"},
      {0x19830326, "BeeGFS"},
      {0x7461636F, "OCFS2"},
      {0x01021997, "9P"},
      {0x65735546, "FUSE"},  // sshfs, GlusterFS and others, which share this number
  }};
  for (const auto& [type, name] : kNetwork)
    if (type == static_cast<std::uint32_t>(statfs_type)) return name;
  return std::nullopt;
}

std::int64_t file_system_type(const std::filesystem::path& folder) {
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) {
    throw Error(fmt::format("cannot determine the file system of {}: {}", folder.string(),
                            std::strerror(errno)),
                "check that the folder exists");
  }
  return info.f_type;
}

void require_local_disk(const std::filesystem::path& folder, const FileSystemType& type) {
  const auto network = network_file_system(type(folder));
  if (!network) return;
  throw UsageError(
      fmt::format("{} is on a network file system ({}), where the course's database can be damaged",
                  folder.string(), *network),
      "move the course folder to a local disk; submissions may be added from anywhere");
}

}  // namespace opgrade::course
