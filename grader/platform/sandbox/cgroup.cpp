#include "grader/platform/sandbox/cgroup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "grader/base/core/error.hpp"
#include "grader/platform/sandbox/proc.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

bool write_file(const fs::path& file, std::string_view text) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string read_file(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// This process's group for one v1 controller, or for v2 with an empty name, from
/// /proc/self/cgroup; its lines read "hierarchy:controllers:path".
std::optional<std::string> own_group(const std::string& controller) {
  std::istringstream lines(read_file("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find("," + controller + ",") != std::string::npos)
      return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The PID namespace: a process number means something only in its namespace. Returns 0 without
/// /proc.
unsigned long process_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

std::string group_name() {
  static std::atomic<int> count{0};
  return fmt::format("opgrade-{}-{}-{}", ::getpid(), ++count, process_namespace());
}

bool can_make_child(const fs::path& parent) {
  const fs::path probe = parent / group_name();
  if (::mkdir(probe.c_str(), 0755) != 0) return false;
  ::rmdir(probe.c_str());
  return true;
}

/// Removes the groups in `parent`, and kills their members, if their grader was killed before it
/// could do so. A grader in another container may share the folder: its groups stay.
void sweep(const fs::path& parent) {
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(parent, gone)) {
    const std::string name = entry.path().filename();
    int grader = 0;
    unsigned long space = 0;
    if (std::sscanf(name.c_str(), "opgrade-%d-%*d-%lu", &grader, &space) != 2 || grader <= 0 ||
        space != process_namespace() || ::kill(grader, 0) == 0 || errno != ESRCH) {
      continue;
    }
    std::istringstream members(read_file(entry.path() / "cgroup.procs"));
    for (int pid; members >> pid;) ::kill(pid, SIGKILL);
    // A frozen process of cgroup v1 does not die, so it is thawed.
    write_file(entry.path() / "freezer.state", "THAWED");
    ::rmdir(entry.path().c_str());
  }
}

std::optional<CgroupSupport> detect_v2(std::string& why) {
  const fs::path root = "/sys/fs/cgroup";
  if (!fs::exists(root / "cgroup.controllers")) {
    why = "no cgroup v2 at /sys/fs/cgroup";
    return std::nullopt;
  }
  const auto own = own_group("");
  if (!own) {
    why = "this process is in no cgroup v2 group";
    return std::nullopt;
  }
  fs::path base = root / fs::path(*own).relative_path();
  // An earlier detect() in this process moved into the leaf: go back up.
  if (base.filename() == "opgrade-grader") base = base.parent_path();
  const fs::path leaf = base / "opgrade-grader";
  const auto enable = [&] { return write_file(base / "cgroup.subtree_control", "+memory +pids"); };
  if (!enable()) {
    if ((::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) ||
        !write_file(leaf / "cgroup.procs", "0") || !enable()) {
      why = fmt::format("{} is not delegated to this user", base.string());
      return std::nullopt;
    }
  }
  if (!can_make_child(base)) {
    why = fmt::format("cannot make a group in {}: {}", base.string(), std::strerror(errno));
    return std::nullopt;
  }
  return CgroupSupport{CgroupSupport::Kind::v2, {base}, {}, {}};
}

std::optional<CgroupSupport> detect_v1(std::string& why) {
  CgroupSupport support{CgroupSupport::Kind::v1, {}, {}, {}};
  for (const std::string controller : {"memory", "pids"}) {
    const fs::path mount = fs::path("/sys/fs/cgroup") / controller;
    const auto own = own_group(controller);
    const fs::path parent = mount / fs::path(own.value_or("")).relative_path();
    if (!own || !fs::exists(parent / "cgroup.procs") || !can_make_child(parent)) {
      why += fmt::format("; no writable cgroup v1 {} controller", controller);
      return std::nullopt;
    }
    support.parents.push_back(parent);
  }
  // cpuacct only counts time, so it may be missing.
  const fs::path cpu = fs::path("/sys/fs/cgroup/cpuacct") /
                       fs::path(own_group("cpuacct").value_or("")).relative_path();
  if (fs::exists(cpu / "cpuacct.stat") && can_make_child(cpu)) support.parents.push_back(cpu);
  // The freezer may be missing, too: without it every process gets a signal of its own.
  const auto own = own_group("freezer");
  const fs::path freezer =
      fs::path("/sys/fs/cgroup/freezer") / fs::path(own.value_or("")).relative_path();
  if (own && fs::exists(freezer / "cgroup.procs") && can_make_child(freezer))
    support.freezer = freezer;
  return support;
}

}  // namespace

CgroupSupport CgroupSupport::detect() {
  std::string why;
  auto support = detect_v2(why);
  if (!support) support = detect_v1(why);
  if (!support) return {Kind::none, {}, {}, why};
  for (const auto& parent : support->parents) sweep(parent);
  if (!support->freezer.empty()) sweep(support->freezer);
  return *support;
}

Cgroup::Cgroup(const CgroupSupport& support, std::int64_t memory_bytes, int processes)
    : kind_(support.kind) {
  const std::string name = group_name();
  for (const auto& parent : support.parents) {
    folders_.push_back(parent / name);
    if (::mkdir(folders_.back().c_str(), 0755) != 0) {
      throw Error(fmt::format("cannot make {}: {}", folders_.back().string(), std::strerror(errno)),
                  "run `opgrade doctor`");
    }
  }
  const auto memory = std::to_string(memory_bytes);
  const auto tasks = std::to_string(processes);
  bool set = false;
  if (kind_ == CgroupSupport::Kind::v2) {
    set = write_file(folders_[0] / "memory.max", memory) &&
          write_file(folders_[0] / "pids.max", tasks);
    write_file(folders_[0] / "memory.swap.max", "0");  // absent if swap accounting is off
    write_file(folders_[0] / "memory.oom.group", "1");
  } else {
    set = write_file(folders_[0] / "memory.limit_in_bytes", memory) &&
          write_file(folders_[1] / "pids.max", tasks);
    write_file(folders_[0] / "memory.memsw.limit_in_bytes", memory);
  }
  if (!set)
    throw Error(fmt::format("cannot set limits in {}", folders_[0].string()),
                "run `opgrade doctor`");
  const auto open_state = [](const fs::path& file) {
    return Fd(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  };
  if (kind_ == CgroupSupport::Kind::v2) {
    state_ = open_state(folders_[0] / "cgroup.freeze");
  } else if (!support.freezer.empty() && ::mkdir((support.freezer / name).c_str(), 0755) == 0) {
    freezer_ = support.freezer / name;
    state_ = open_state(freezer_ / "freezer.state");
  }
}

Cgroup::~Cgroup() {
  kill();
  if (!freezer_.empty()) folders_.push_back(freezer_);
  for (const auto& folder : folders_) {
    // The kernel may need a moment after the last member's death.
    for (int attempt = 0; ::rmdir(folder.c_str()) != 0 && errno == EBUSY && attempt < 1000;
         ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

std::vector<fs::path> Cgroup::join_files() const {
  std::vector<fs::path> files;
  for (const auto& folder : folders_) files.push_back(folder / "cgroup.procs");
  if (!freezer_.empty()) files.push_back(freezer_ / "cgroup.procs");
  return files;
}

bool Cgroup::freeze() const noexcept {
  const std::string_view hold = kind_ == CgroupSupport::Kind::v2 ? "1" : "FROZEN";
  return state_ && ::pwrite(state_.get(), hold.data(), hold.size(), 0) > 0;
}

bool Cgroup::is_frozen() const {
  const auto held = [&] {
    if (kind_ == CgroupSupport::Kind::v2)
      return proc::number_behind("frozen ", folders_[0] / "cgroup.events") == 1;
    std::array<char, 16> state{};
    return ::pread(state_.get(), state.data(), state.size() - 1, 0) > 0 &&
           std::string_view(state.data()).starts_with("FROZEN");
  };
  // A running process is frozen only when it is scheduled, which takes longer on a busy machine. A
  // process that cannot be frozen is stopped by its signal, as without a freezer.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
  while (!held()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

void Cgroup::thaw() const noexcept {
  const std::string_view free = kind_ == CgroupSupport::Kind::v2 ? "0" : "THAWED";
  if (state_) [[maybe_unused]]
    const auto written = ::pwrite(state_.get(), free.data(), free.size(), 0);
}

std::vector<int> Cgroup::processes() const {
  std::istringstream text(read_file(folders_[0] / "cgroup.procs"));
  std::vector<int> pids;
  for (int pid; text >> pid;) pids.push_back(pid);
  return pids;
}

void Cgroup::kill() const noexcept try {
  if (kind_ == CgroupSupport::Kind::v2 && write_file(folders_[0] / "cgroup.kill", "1")) return;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (auto pids = processes(); !pids.empty() && std::chrono::steady_clock::now() < deadline;
       pids = processes()) {
    for (const int pid : pids) ::kill(pid, SIGKILL);
    thaw();  // a frozen process of cgroup v1 does not die
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
} catch (...) {
}

CgroupUse Cgroup::use() const {
  const auto& memory = folders_.front();
  const auto& pids = folders_.size() > 1 ? folders_[1] : folders_[0];
  CgroupUse use;
  if (kind_ == CgroupSupport::Kind::v2) {
    use.peak_memory_bytes = proc::number_behind("", memory / "memory.peak");
    use.memory_limit_hit = proc::number_behind("oom_kill ", memory / "memory.events") > 0;
    use.user = std::chrono::microseconds(proc::number_behind("user_usec ", memory / "cpu.stat"));
    use.system =
        std::chrono::microseconds(proc::number_behind("system_usec ", memory / "cpu.stat"));
  } else {
    use.peak_memory_bytes = proc::number_behind("", memory / "memory.max_usage_in_bytes");
    use.memory_limit_hit = proc::number_behind("oom_kill ", memory / "memory.oom_control") > 0;
    if (folders_.size() > 2) {
      const std::int64_t tick = 1'000'000 / ::sysconf(_SC_CLK_TCK);
      use.user = std::chrono::microseconds(
          proc::number_behind("user ", folders_[2] / "cpuacct.stat") * tick);
      use.system = std::chrono::microseconds(
          proc::number_behind("system ", folders_[2] / "cpuacct.stat") * tick);
    }
  }
  use.process_limit_hit = proc::number_behind("max ", pids / "pids.events") > 0;
  return use;
}

}  // namespace opgrade
