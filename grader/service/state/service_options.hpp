/// The options with which a service is started.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "grader/authoring/task_record.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/slurm/slurm.hpp"
#include "grader/grading/pipeline/machine_state.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/platform/process/process.hpp"
#include "grader/service/http/flood.hpp"
#include "grader/service/state/document_renderer.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade::service {

/// `rescoring`: only gradings that run no submission.
enum class RejudgeWork { all, rescoring };

struct ServiceOptions {
  std::chrono::seconds interval{30};  ///< least time between two submissions of an owner
  std::size_t upload_bytes = std::size_t{16} << 20;
  /// An authenticating proxy at `proxy` names its user in the header `proxy_header`. Empty: it
  /// names no user.
  std::string proxy, proxy_header;
  bool notices = false;        ///< students may ask for notices
  bool secure_cookies = true;  ///< false if browsers use plain HTTP, as in a demonstration
  FloodLimits flood{};
  /// The most open live logs; below ServerOptions::connections.
  int logs_of_person = 20, logs = 1500;
  int uploads_of_person = 4, uploads = 200;  ///< the most uploads in progress
  std::function<Config(const course::Assignment&)> config_of;
  /// True if gradings by the config use GPUs of this machine.
  std::function<bool(const Config&)> needs_gpu = [](const Config&) { return false; };
  bool emulates = false;  ///< this server grades GPU stages on the emulated device
  /// Why nothing is graded by the config until staff have checked its task; empty: it is graded.
  std::function<std::string(const Config&)> why_unchecked = unchecked_task;
  /// The version of the opgrade that grades from now on. After an upgrade it is not the server's
  /// own. Must answer at once, because requests wait for it.
  std::function<std::string()> version = program_version;
  /// State of the machine, shown to staff.
  std::function<MachineState()> machine = [] { return machine_state(); };
  /// The program that makes the gradings of a rejudge. Empty: this server makes none.
  std::function<Command(const course::Rejudge&, RejudgeWork)> rejudge{};
  /// Called if Slurm may have tasks of the course.
  std::function<course::Slurm()> slurm = course::slurm_commands;
  RenderDocument render_document{};  ///< empty: documents are only downloads
  /// If the database accepts no change for this long, /api/health and the pages of staff report it.
  std::chrono::milliseconds blocked_after{5000};
  /// Free bytes of the course folder's disk.
  std::function<std::uintmax_t(const std::filesystem::path&)> free_bytes = [](const auto& path) {
    std::error_code unknown;  // an unknown size is not treated as a full disk
    return std::filesystem::space(path, unknown).available;
  };
  std::function<course::Moment()> now = course::this_second;
};

}  // namespace opgrade::service
