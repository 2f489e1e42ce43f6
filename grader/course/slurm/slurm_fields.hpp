/// The JSON files of a Slurm run, field by field.
///
/// A test holds slurm-run.schema.json and slurm-batch.schema.json to these functions;
/// UPDATE_GOLDEN=1 writes both anew.
#pragma once

#include <cstdint>
#include <vector>

#include "grader/base/core/fields.hpp"
#include "grader/course/slurm/slurm_executor.hpp"

namespace opgrade::course {

inline constexpr const char* kRunSchema = "opgrade-slurm-run-1";
inline constexpr const char* kBatchSchema = "opgrade-slurm-batch-1";

/// A file of batches/.
struct BatchFile {
  std::vector<std::int64_t> jobs;
  int retries = 0;
};

void fields(auto& io, Is<GradingJob> auto& j) {
  io.record("job", "One grading.");
  io("submission", j.submission, "Number of the submission in the course's store.");
  io("owner", j.owner, "Student or team.");
  io("sha256", j.sha256, "SHA-256 of the archive.");
  io("file", j.file, "The archive, relative to this file.");
  io("config_sha256", j.config_sha256, "SHA-256 of the effective config.");
  io("version", j.version, "Version of opgrade that grades.");
  io("number", j.number, "Number of the attempt, from 1.");
  io.added("at_deadline", j.at_deadline, "Whether the cases run that hand-ins leave out.");
}

void fields(auto& io, Is<RunFile> auto& r) {
  io.record("slurm_run", "The gradings in a folder that the nodes of a cluster share.");
  io.version("schema", kRunSchema, "Version of this format.");
  io("course", r.course, "Path of the course folder on the machine that collects.");
  io("purpose", r.purpose, "Name of the set of gradings.");
  io("options", r.options, "Options of the nodes' command line, by name.");
  io("jobs", r.jobs, "The gradings; results and batches name them by index.");
}

void fields(auto& io, Is<BatchFile> auto& b) {
  io.record("slurm_batch", "The gradings of one array task.");
  io.version("schema", kBatchSchema, "Version of this format.");
  io("jobs", b.jobs, "Indices in the run's jobs, in the order of grading.");
  io("retries", b.retries, "Failures of machines before it.");
}

}  // namespace opgrade::course
