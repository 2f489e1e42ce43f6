#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "grader/base/core/error.hpp"
#include "grader/base/core/json_reader.hpp"
#include "grader/base/core/json_writer.hpp"
#include "grader/base/core/shell_word.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/base/files/archives.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/slurm/slurm_executor.hpp"
#include "grader/course/slurm/slurm_fields.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuns = "runs";
constexpr const char* kManifest = "run.json";
constexpr const char* kEnded = "ended";
constexpr const char* kGone =
    ".removed";  ///< ending of a run's folder whose files are being removed

[[noreturn]] void cannot_write(const fs::path& file, const std::string& why) {
  throw Error(fmt::format("cannot write {}: {}", file.string(), why),
              "check the free space and the rights on 'shared' of course.yaml");
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) cannot_write(folder, error.message());
}

void copy_file_to(const fs::path& from, const fs::path& to) {
  make_folder(to.parent_path());
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) cannot_write(to, fmt::format("{} ({})", error.message(), from.string()));
}

template <class Record>
Record read_file(const fs::path& file) {
  return record_from_json<Record>(text_of_file(file), file.string(),
                                  "it is damaged: remove its run's folder and repeat the command");
}

bool is_gone(const fs::path& folder) { return folder.extension() == kGone; }

/// Removes folders that a kill left. A killed remove() leaves a folder with the ending kGone. A
/// killed create() leaves a folder with students' submissions and without a manifest; a run that is
/// still being written gets its manifest within minutes.
void remove_abandoned(const fs::path& runs) {
  constexpr auto kWritten = std::chrono::hours(24);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(runs, ignored)) {
    const auto written = fs::last_write_time(entry.path(), ignored);
    const bool old = !ignored && fs::file_time_type::clock::now() - written > kWritten;
    if (is_gone(entry.path()) || (old && !fs::exists(entry.path() / kManifest, ignored)))
      fs::remove_all(entry.path(), ignored);
  }
}

std::string batch_name(std::size_t number) { return fmt::format("{:06}.json", number); }

}  // namespace

SlurmRun SlurmRun::create(const fs::path& shared, const RunFacts& facts, const std::string& purpose,
                          const std::vector<GradingJob>& jobs) {
  remove_abandoned(shared / kRuns);
  SlurmRun run(shared / kRuns / fmt::format("{}-{:08x}", purpose, SystemRandom()() & 0xffffffffU));
  for (const char* name : {"results", "begun", "batches", "logs", "submissions"})
    make_folder(run.folder_ / name);
  // Only the owner may read the folder, because submissions and grades are for staff.
  fs::permissions(run.folder_, fs::perms::owner_all);
  RunFile manifest{facts.course, purpose, facts.options, jobs};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string file =
        fmt::format("submissions/{}{}", i, archive_ending(jobs[i].file.string()));
    // A job without its archive becomes a grader fault on its node: see run_job().
    if (std::error_code ignored; fs::exists(jobs[i].file, ignored))
      copy_file_to(jobs[i].file, run.folder_ / file);
    manifest.jobs[i].file = file;
  }
  write_file(run.config(), facts.config_yaml);
  for (const auto& [name, source] : facts.config_files) copy_file_to(source, run.folder_ / name);
  // exec, so that Slurm's signals reach the program.
  write_file(run.script(), fmt::format("#!/bin/sh\nexport SLURM_EXPORT_ENV=ALL\n"
                                       "exec {} {} $(($1 + SLURM_ARRAY_TASK_ID))\n",
                                       facts.command, shell_word(run.folder_.string())));
  // Written last: a folder with this file is complete.
  write_file(run.folder_ / kManifest, json_of(manifest).dump(1));
  run.read();
  return run;
}

SlurmRun SlurmRun::open(const fs::path& folder) {
  SlurmRun run(fs::absolute(folder).lexically_normal());
  run.read();
  return run;
}

void SlurmRun::read() {
  manifest_ = read_file<RunFile>(folder_ / kManifest);
  for (std::size_t i = 0; i < jobs().size(); ++i) {
    GradingJob& job = manifest_.jobs[i];
    job.file = folder_ / job.file;
    job.result = folder_ / "results" / fmt::format("{}.json", i);
    job.root = folder_;
  }
}

std::vector<SlurmRun> SlurmRun::unfinished(const fs::path& shared) {
  std::vector<SlurmRun> runs = all(shared);
  std::erase_if(runs, [](const SlurmRun& run) { return run.has_ended(); });
  return runs;
}

std::vector<SlurmRun> SlurmRun::all(const fs::path& shared) {
  std::vector<SlurmRun> runs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(shared / kRuns, ignored)) {
    if (is_gone(entry.path()) || !fs::exists(entry.path() / kManifest, ignored)) continue;
    try {
      runs.push_back(open(entry.path()));
    } catch (const Error&) {
      // No error if another process has just removed the run.
      if (fs::exists(entry.path() / kManifest, ignored)) throw;
    }
  }
  std::ranges::sort(runs, {}, &SlurmRun::name);
  return runs;
}

fs::path SlurmRun::files_of(const fs::path& archive) const {
  const auto job = std::ranges::find(jobs(), archive, &GradingJob::file);
  if (job == jobs().end())
    throw std::out_of_range(fmt::format("{} has no job of {}", name(), archive.string()));
  return fs::path(job->result).replace_extension(".files");
}

int SlurmRun::add(const std::vector<Batch>& batches) const {
  const std::size_t first = this->batches().size();
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto& [jobs, retries] = batches[i];
    write_file(folder_ / "batches" / batch_name(first + i),
               json_of(BatchFile{{jobs.begin(), jobs.end()}, retries}).dump());
  }
  return static_cast<int>(first);
}

std::vector<Batch> SlurmRun::batches() const {
  std::vector<Batch> all;
  std::error_code ignored;
  for (fs::path file;
       file = folder_ / "batches" / batch_name(all.size()), fs::exists(file, ignored);) {
    const auto [jobs, retries] = read_file<BatchFile>(file);
    all.push_back({{jobs.begin(), jobs.end()}, retries});
  }
  return all;
}

void SlurmRun::mark_begun(int batch, std::size_t job) const {
  write_file(folder_ / "begun" / fmt::format("{}.{}", batch, job), "");
}

bool SlurmRun::has_begun(int batch, std::size_t job) const {
  std::error_code ignored;
  return fs::exists(folder_ / "begun" / fmt::format("{}.{}", batch, job), ignored);
}

fs::path SlurmRun::log_of(const std::string& array, int index) const {
  return folder_ / "logs" / fmt::format("{}_{}.txt", array, index);
}

std::optional<SubmitLock> SlurmRun::lock_submissions() const {
  const fs::path path = folder_ / "submit.lock";
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) cannot_write(path, std::strerror(errno));
  while (::flock(file.get(), LOCK_EX) != 0) {
    // The file system has no locks. Tasks of an ended run still begin no job.
    if (errno != EINTR) break;
    interrupt::check();
  }
  return file;
}

void SlurmRun::end() const { write_file(folder_ / kEnded, ""); }

bool SlurmRun::has_ended() const {
  std::error_code ignored;
  return fs::exists(folder_ / kEnded, ignored);
}

void SlurmRun::remove() const {
  fs::path gone = folder_;
  gone += kGone;
  std::error_code failed, ignored;
  fs::rename(folder_, gone, failed);  // renamed first, so that a later kill leaves no run
  if (!failed)
    fs::remove_all(gone, failed);
  else if (fs::exists(folder_, ignored))  // otherwise another process was faster
    end();
}

void run_batch(const SlurmRun& run, int batch, const GradeOne& grade) {
  const auto batches = run.batches();
  if (batch < 0 || static_cast<std::size_t>(batch) >= batches.size())
    throw Error(fmt::format("{} has no batch {}", run.folder().string(), batch),
                "let opgrade course grade submit the tasks");
  for (const std::size_t i : batches[static_cast<std::size_t>(batch)].jobs) {
    interrupt::check();
    if (run.has_ended()) return;  // cancelled: Slurm may have taken the array afterwards
    const GradingJob& job = run.jobs().at(i);
    std::error_code ignored;
    if (fs::exists(job.result, ignored)) continue;
    run.mark_begun(batch, i);
    run_job(job, grade);
  }
}

}  // namespace opgrade::course
