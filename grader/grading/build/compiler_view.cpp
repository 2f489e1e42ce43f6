#include "grader/grading/build/compiler_view.hpp"

#include <algorithm>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// The grader's own files, which a bundle may bring into any folder.
std::vector<fs::path> own_files() {
  std::vector<fs::path> own{resources::data_folder()};
  try {
    own.push_back(resources::share_folder());
  } catch (const Error&) {  // code that needs the folder reports it
  }
  for (auto& path : own) path = fs::weakly_canonical(path);
  return own;
}

void add_own_files_apart(SandboxPolicy& policy, const fs::path& path) {
  add_readable(policy, path, own_files());
}

/// True for the folder where a compiler that was built apart has its assembler:
/// "x86_64-pc-linux-gnu".
bool names_a_machine(const std::string& folder) { return folder.ends_with("-linux-gnu"); }

/// The first path of a flag: "-I/x", "--sysroot=/x", "-Xcompiler=-isystem,/x", "/x".
fs::path path_in(const std::string& flag) {
  const auto slash = flag.find('/');
  if (slash == flag.npos) return {};
  const std::string path = flag.substr(slash);
  return path.substr(0, path.find(','));
}

bool names_a_host_compiler(const std::string& flag) {
  return flag.find("-ccbin") != flag.npos || flag.find("-compiler-bindir") != flag.npos;
}

}  // namespace

void add_readable(SandboxPolicy& policy, const fs::path& path,
                  const std::vector<fs::path>& hidden) {
  std::error_code missing;
  const fs::path real = fs::canonical(path, missing);
  if (missing) return;
  const auto shows = [&](const Mount& mount) { return is_below(path, mount.inside); };
  if (std::ranges::any_of(policy.mounts, shows)) return;
  const auto is_within = [&](const fs::path& one) {
    return is_below(real, one) || is_below(path.lexically_normal(), one);
  };
  if (std::ranges::any_of(hidden, is_within)) return;
  if (std::ranges::none_of(hidden, [&](const auto& one) { return is_below(one, real); })) {
    policy.mounts.push_back({path, path});
    return;
  }
  for (const auto& entry : fs::directory_iterator(real, missing)) {
    // A mount shows what a link leads to, which may lie anywhere: links out of `real` are left out.
    std::error_code dangling;
    const fs::path target = fs::canonical(entry.path(), dangling);
    if (!dangling && is_below(target, real))
      add_readable(policy, path / entry.path().filename(), hidden);
  }
}

void add_libraries(SandboxPolicy& policy, const fs::path& folder) {
  std::error_code missing, dangling;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const std::string name = entry.path().filename();
    if ((name.starts_with("lib") && entry.is_regular_file(dangling)) || names_a_machine(name))
      add_own_files_apart(policy, entry.path());
  }
}

void add_prefix(SandboxPolicy& policy, const fs::path& prefix) {
  // Shows only libexec/gcc: next to it lie other programs' parts, the grader's among them.
  for (const char* part : {"bin", "include", "lib", "lib32", "lib64", "libx32", "libexec/gcc",
                           "nvvm", "targets", "extras"})
    add_own_files_apart(policy, prefix / part);
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(prefix, missing))
    if (names_a_machine(entry.path().filename().string()))
      add_own_files_apart(policy, entry.path());
}

void add_toolkit(SandboxPolicy& policy, const fs::path& root) {
  add_prefix(policy, root);
  const fs::path usual = "/usr/local/cuda";
  std::error_code missing;
  if (fs::canonical(usual, missing) == root && !missing) add_prefix(policy, usual);
}

void add_system_view(SandboxPolicy& policy) {
  add_prefix(policy, "/usr");
  for (const char* system : {"/bin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives",
                             "/etc/nvcc.profile", "/usr/local/include"})
    add_own_files_apart(policy, system);
  for (const char* local : {"/usr/local/lib", "/usr/local/lib32", "/usr/local/lib64"})
    add_libraries(policy, local);
  policy.environment = {"PATH=/usr/bin:/bin", "TMPDIR=/tmp", "HOME=/tmp", "LC_ALL=C.UTF-8"};
}

void add_compilers(SandboxPolicy& policy, const Toolchain& tools,
                   const std::vector<std::string>& flags) {
  std::error_code missing;
  if (tools.cxx)
    if (const fs::path real = fs::canonical(*tools.cxx, missing); !missing)
      add_prefix(policy, real.parent_path().parent_path());
  bool named_before = false;
  for (const auto& flag : flags) {
    const bool host_compiler = named_before || names_a_host_compiler(flag);
    const fs::path path = path_in(flag).lexically_normal();
    named_before = path.empty() && names_a_host_compiler(flag);
    const fs::path real = path.empty() ? path : fs::canonical(path, missing);
    if (path.empty() || missing) continue;
    if (host_compiler)
      add_prefix(policy, (fs::is_directory(real) ? real : real.parent_path()).parent_path());
    // A folder that holds /usr is no folder of headers, and would show everything.
    if (!is_below("/usr", real)) add_own_files_apart(policy, path);
  }
}

}  // namespace opgrade
