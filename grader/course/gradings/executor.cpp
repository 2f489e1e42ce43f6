#include "grader/course/gradings/executor.hpp"

#include <fmt/format.h>

#include <mutex>

#include "grader/base/core/error.hpp"
#include "grader/base/core/parallel.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade::course {

namespace fs = std::filesystem;

GradingJob job_for(const fs::path& course_folder, const Submission& submission,
                   const std::string& config_sha256, const std::string& version, int number) {
  return {submission.id,
          submission.owner,
          submission.sha256,
          course_folder / submission.file,
          config_sha256,
          version,
          number,
          course_folder / result_path(submission, config_sha256, version, number),
          course_folder};
}

Grade fault_of(const GradingJob& job, const std::string& why) {
  Grade grade;
  grade.submission = result_name(job.owner);
  grade.submission_path = job.file.string();
  grade.config_sha256 = job.config_sha256;
  grade.machine.opgrade_version = job.version;
  grade.outcome = Outcome::grader_fault;
  grade.reason = text_reason(why);
  return grade;
}

void run_job(const GradingJob& job, const GradeOne& grade) {
  std::error_code ignored;
  if (fs::exists(job.result, ignored)) return;
  const std::string damage = difference(job.file, job.sha256);
  const Grade made =
      damage.empty()
          ? grade(job.file, result_name(job.owner), job.graded_at())
          : fault_of(job,
                     fmt::format("the stored archive {}; opgrade course verify names it", damage));
  if (made.config_sha256 != job.config_sha256 || made.machine.opgrade_version != job.version) {
    throw Error(
        fmt::format("{} needs a grading with config {} by opgrade {}, but got one with "
                    "{} by {}",
                    job.file.string(), job.config_sha256.substr(0, 12), job.version,
                    made.config_sha256.substr(0, 12), made.machine.opgrade_version),
        "run the same opgrade on all machines, and do not change the config during a grading");
  }
  // If another process was faster, its result stays.
  write_new_file(job.result, report_json(made), job.root);
}

std::vector<Undone> LocalExecutor::run(const std::string&, const std::vector<GradingJob>& jobs,
                                       const Begun& begun, const Done& done) {
  std::mutex guard;
  std::vector<Undone> undone;
  parallel_for(static_cast<int>(jobs.size()), threads_, [&](int i) {
    interrupt::check();
    const GradingJob& job = jobs[static_cast<std::size_t>(i)];
    if (std::string why = waits_(job); !why.empty()) {
      const std::scoped_lock one(guard);
      undone.push_back({job, std::move(why)});
      return;
    }
    begun(job);
    run_job(job, grade_);
    const std::scoped_lock one(guard);
    done(job);
  });
  return undone;
}

}  // namespace opgrade::course
