#include "grader/course/slurm_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/core/error.hpp"
#include "grader/core/shell_word.hpp"
#include "grader/core/system_random.hpp"
#include "grader/course/new_file.hpp"
#include "grader/course/pack.hpp"
#include "grader/course/result_files.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/results/result_folder.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kRuns = "runs";
constexpr const char* kManifest = "run.json";
constexpr const char* kEnded = "ended";

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

std::string batch_name(std::size_t number) { return fmt::format("{:06}.json", number); }

}  // namespace

SlurmRun SlurmRun::create(const fs::path& shared, const RunFacts& facts, const std::string& purpose,
                          const std::vector<GradingJob>& jobs) {
  SlurmRun run(shared / kRuns / fmt::format("{}-{:08x}", purpose, SystemRandom()() & 0xffffffffU));
  for (const char* name : {"results", "begun", "batches", "logs", "submissions"})
    make_folder(run.folder_ / name);
  // Submissions and grades are for staff.
  fs::permissions(run.folder_, fs::perms::owner_all);
  json list = json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const GradingJob& job = jobs[i];
    const std::string file = fmt::format("submissions/{}{}", i, archive_ending(job.file.string()));
    copy_file_to(job.file, run.folder_ / file);
    list.push_back({{"submission", job.submission},
                    {"owner", job.owner},
                    {"sha256", job.sha256},
                    {"file", file},
                    {"config_sha256", job.config_sha256},
                    {"version", job.version},
                    {"number", job.number}});
  }
  write_file(run.config(), facts.config_yaml);
  for (const auto& [name, source] : facts.config_files) copy_file_to(source, run.folder_ / name);
  // exec: Slurm's signals then reach the program.
  write_file(run.script(), fmt::format("#!/bin/sh\nexport SLURM_EXPORT_ENV=ALL\n"
                                       "exec {} {} $(($1 + SLURM_ARRAY_TASK_ID))\n",
                                       facts.command, shell_word(run.folder_.string())));
  // Last: a folder with this file is complete.
  write_file(run.folder_ / kManifest, json{{"course", facts.course},
                                           {"purpose", purpose},
                                           {"options", facts.options},
                                           {"jobs", list}}
                                          .dump(1));
  run.read();
  return run;
}

SlurmRun SlurmRun::open(const fs::path& folder) {
  SlurmRun run(fs::absolute(folder).lexically_normal());
  run.read();
  return run;
}

void SlurmRun::read() {
  const fs::path file = folder_ / kManifest;
  try {
    const json manifest = json::parse(text_of_file(file));
    course_ = manifest.at("course").get<std::string>();
    purpose_ = manifest.at("purpose").get<std::string>();
    options_ = manifest.at("options").get<std::map<std::string, std::string>>();
    for (const json& job : manifest.at("jobs")) {
      jobs_.push_back({job.at("submission").get<std::int64_t>(), job.at("owner").get<std::string>(),
                       job.at("sha256").get<std::string>(),
                       folder_ / job.at("file").get<std::string>(),
                       job.at("config_sha256").get<std::string>(),
                       job.at("version").get<std::string>(), job.at("number").get<int>(),
                       folder_ / "results" / fmt::format("{}.json", jobs_.size())});
    }
  } catch (const json::exception& e) {
    throw Error(fmt::format("{} is damaged: {}", file.string(), e.what()),
                "remove its folder and repeat the command");
  }
}

std::vector<SlurmRun> SlurmRun::unfinished(const fs::path& shared) {
  std::vector<SlurmRun> runs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(shared / kRuns, ignored)) {
    if (fs::exists(entry.path() / kEnded, ignored) ||
        !fs::exists(entry.path() / kManifest, ignored))
      continue;
    runs.push_back(open(entry.path()));
  }
  std::ranges::sort(runs, {}, &SlurmRun::name);
  return runs;
}

int SlurmRun::add(const std::vector<Batch>& batches) const {
  const std::size_t first = this->batches().size();
  for (std::size_t i = 0; i < batches.size(); ++i) {
    write_file(folder_ / "batches" / batch_name(first + i),
               json{{"jobs", batches[i].jobs}, {"retries", batches[i].retries}}.dump());
  }
  return static_cast<int>(first);
}

std::vector<Batch> SlurmRun::batches() const {
  std::vector<Batch> all;
  std::error_code ignored;
  for (fs::path file;
       file = folder_ / "batches" / batch_name(all.size()), fs::exists(file, ignored);) {
    const json batch = json::parse(text_of_file(file));
    all.push_back(
        {batch.at("jobs").get<std::vector<std::size_t>>(), batch.at("retries").get<int>()});
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

void SlurmRun::end() const { write_file(folder_ / kEnded, ""); }

void SlurmRun::remove() const {
  end();  // should the removal fail in the middle
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void run_batch(const SlurmRun& run, int batch, const GradeOne& grade) {
  const auto batches = run.batches();
  if (batch < 0 || static_cast<std::size_t>(batch) >= batches.size())
    throw Error(fmt::format("{} has no batch {}", run.folder().string(), batch),
                "let opgrade course grade submit the tasks");
  for (const std::size_t i : batches[static_cast<std::size_t>(batch)].jobs) {
    interrupt::check();
    const GradingJob& job = run.jobs().at(i);
    std::error_code ignored;
    if (fs::exists(job.result, ignored)) continue;
    run.mark_begun(batch, i);
    run_job(job, grade);
  }
}

}  // namespace opgrade::course
