/// What a service is started with.
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
  std::chrono::seconds interval{30};  ///< between two submissions of an owner
  std::size_t upload_bytes = std::size_t{16} << 20;
  /// An authenticating proxy at `proxy` names its user in this header. Empty: it names none.
  std::string proxy, proxy_header;
  bool notices = false;        ///< students may ask for them
  bool secure_cookies = true;  ///< off where browsers come over plain HTTP, for a demonstration
  FloodLimits flood{};
  int logs_of_person = 20, logs = 1500;  ///< live logs at once; below ServerOptions::connections
  int uploads_of_person = 4, uploads = 200;  ///< in progress at once
  std::function<Config(const course::Assignment&)> config_of;
  /// True where gradings by the config use GPUs of this machine.
  std::function<bool(const Config&)> needs_gpu = [](const Config&) { return false; };
  bool emulates = false;  ///< this server grades GPU stages on the emulated device
  /// Why nothing is graded by the config until staff have checked its task; empty: it is graded.
  std::function<std::string(const Config&)> why_unchecked = unchecked_task;
  /// Of the opgrade that grades from now on: after an upgrade not this server's own. Answers at
  /// once: requests wait for it.
  std::function<std::string()> version = program_version;
  std::function<MachineState()> machine = [] { return machine_state(); };  ///< for staff
  /// The program that makes the gradings of a rejudge. Empty: this server makes none.
  std::function<Command(const course::Rejudge&, RejudgeWork)> rejudge{};
  std::function<course::Slurm()> slurm = course::slurm_commands;  ///< asked where it has tasks
  RenderDocument render_document{};  ///< empty: documents are downloads alone
  /// Health and staff are told of a database that takes no change for so long.
  std::chrono::milliseconds blocked_after{5000};
  /// Free bytes of the course folder's disk.
  std::function<std::uintmax_t(const std::filesystem::path&)> free_bytes = [](const auto& path) {
    std::error_code unknown;  // and then not full
    return std::filesystem::space(path, unknown).available;
  };
  std::function<course::Moment()> now = course::this_second;
};

}  // namespace opgrade::service
