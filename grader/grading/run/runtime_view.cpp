#include "grader/grading/run/runtime_view.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>

#include "grader/base/core/error.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraries = "/opgrade/lib";

/// Where the dynamic loader finds a library on this host. In a namespace apart, the search does not
/// depend on what this program has loaded, and adds nothing to it.
std::optional<fs::path> library_path(const std::string& name, Lmid_t space = LM_ID_BASE) {
  // Loaded once and kept: libgomp leaves memory behind each time it is unloaded.
  void* const handle = ::dlmopen(space, name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return std::nullopt;
  link_map* map = nullptr;
  std::optional<fs::path> path;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) path = fs::canonical(map->l_name);
  ::dlclose(handle);
  return path;
}

/// The dynamic loader that this program's own file names; the harness is built with the same one.
std::string dynamic_loader() {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  ElfW(Ehdr) header{};
  self.read(reinterpret_cast<char*>(&header), sizeof header);
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    self.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    self.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (segment.p_type != PT_INTERP) continue;
    std::string path(segment.p_filesz, '\0');
    self.seekg(static_cast<std::streamoff>(segment.p_offset));
    self.read(path.data(), static_cast<std::streamsize>(path.size()));
    return path.c_str();  // without its terminating zero
  }
  throw Error("this program names no dynamic loader", "rebuild opgrade without -static");
}

/// The user-mode driver: files next to libcuda.so.1 whose names say that they belong to it.
std::vector<Mount> cuda_driver() {
  const auto driver = library_path("libcuda.so.1");
  if (!driver) throw Error("the CUDA driver's libcuda.so.1 is not found", "run `opgrade doctor`");
  std::vector<Mount> mounts;
  for (const auto& entry : fs::directory_iterator(driver->parent_path())) {
    const std::string name = entry.path().filename();
    const bool part = name.starts_with("libcuda.so") || name.starts_with("libnvidia-");
    if (part && entry.is_regular_file())
      mounts.push_back({fs::canonical(entry.path()), fs::path(kLibraries) / name});
  }
  // Drivers from 570 on need /dev/nvidia-uvm-tools, for profiling only. No driver needs /sys.
  for (const char* device : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}) {
    mounts.push_back({device, device, Mount::Access::device, true});
  }
  return mounts;
}

/// The text behind `name` in a file of lines "name: value", or an empty text.
std::string value_of(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const auto value = line.find_first_not_of(" \t", name.size());
    return value == line.npos ? "" : line.substr(value, line.find_last_not_of(" \t") - value + 1);
  }
  return {};
}

}  // namespace

std::vector<fs::path> gpu_nodes(const std::string& uuid, const fs::path& root) {
  std::error_code missing;
  for (fs::directory_iterator gpu(root / "proc/driver/nvidia/gpus", missing), end; gpu != end;
       gpu.increment(missing)) {
    const fs::path information = gpu->path() / "information";
    if (uuid.empty() || value_of(information, "GPU UUID:") != uuid) continue;
    const fs::path node = root / "dev" / ("nvidia" + value_of(information, "Device Minor:"));
    if (fs::exists(node) && node.filename() != "nvidia") return {node};
  }
  std::vector<fs::path> nodes;
  for (fs::directory_iterator entry(root / "dev", missing), end; entry != end;
       entry.increment(missing)) {
    const std::string name = entry->path().filename();
    // nvidia0 and so on; not nvidiactl, nvidia-uvm, nvidia-caps
    if (name.starts_with("nvidia") && name.size() > 6 &&
        name.find_first_not_of("0123456789", 6) == name.npos)
      nodes.push_back(entry->path());
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void add_runtime_view(SandboxPolicy& policy, Device device, const std::vector<std::string>& uuids) {
  static const std::string loader = dynamic_loader();
  static const std::vector<Mount> cpp_runtime = [] {
    std::vector<Mount> mounts{{fs::canonical(loader), loader}};
    Lmid_t apart = LM_ID_BASE;
    if (void* const first = ::dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_LAZY | RTLD_NODELETE))
      ::dlinfo(first, RTLD_DI_LMID, &apart);
    // libgomp: OpenMP is allowed on the CPU. libutil: CUPTI asks for it.
    for (const std::string name :
         {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libgomp.so.1",
          "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1"}) {
      if (const auto path = library_path(name, apart))
        mounts.push_back({*path, fs::path(kLibraries) / name});
    }
    return mounts;
  }();
  policy.mounts.insert(policy.mounts.end(), cpp_runtime.begin(), cpp_runtime.end());
  policy.environment = {fmt::format("LD_LIBRARY_PATH={}", kLibraries), "HOME=/tmp", "TMPDIR=/tmp"};
  if (device == Device::cuda) {
    static const std::vector<Mount> driver = cuda_driver();
    policy.mounts.insert(policy.mounts.end(), driver.begin(), driver.end());
    std::set<fs::path> nodes;
    std::string visible;
    for (const std::string& uuid : uuids.empty() ? std::vector<std::string>{""} : uuids) {
      for (const auto& node : gpu_nodes(uuid)) nodes.insert(node);
      visible += (visible.empty() ? "" : ",") + uuid;
    }
    for (const auto& node : nodes) policy.mounts.push_back({node, node, Mount::Access::device});
    policy.environment.push_back("CUDA_CACHE_DISABLE=1");
    if (!visible.empty()) policy.environment.push_back("CUDA_VISIBLE_DEVICES=" + visible);
  }
}

void add_library(SandboxPolicy& policy, const fs::path& file) {
  policy.mounts.push_back({fs::canonical(file), fs::path(kLibraries) / file.filename()});
}

}  // namespace opgrade
