/// Hand-ins in a folder of a test, taken in by a small course.
#pragma once

#include <gtest/gtest.h>

#include "grader/base/core/temp_dir.hpp"
#include "grader/course/exchange/add_submissions.hpp"
#include "grader/grading/intake/archive.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course::test {

class AddSubmissions : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    write_text(in.path() / file, text);
  }
  void set_time(const std::string& file, const std::string& time) {
    std::filesystem::last_write_time(in.path() / file,
                                     std::chrono::file_clock::from_sys(utc(time)));
  }
  AddReport add(const std::string& path, const std::string& assignment = "m1") {
    options.paths = {in.path() / path};
    return add_submissions(folder, store, *folder.course.find(assignment), options);
  }
  /// "name: bytes" of each file of a stored archive.
  std::vector<std::string> files_of(const Submission& s) const {
    std::vector<std::string> files;
    const auto taken = read_archive(
        text_of_file(folder.path / s.file), [](const std::string&) { return true; }, 1 << 20);
    EXPECT_TRUE(taken.has_value());
    for (const auto& file : *taken) files.push_back(file.path + ": " + file.bytes);
    return files;
  }
  static std::string summary(const AddedSubmission& a) {
    return a.submission.owner + " " + iso_text(a.submission.handed_in) + " " +
           (a.late.accepted ? std::to_string(a.late.days) : "closed");
  }
  static std::vector<std::string> summaries(const AddReport& report) {
    std::vector<std::string> all;
    for (const auto& added : report.added) all.push_back(summary(added));
    return all;
  }

  const TempDir place{"opgrade-test-"};
  const TempDir in{"opgrade-test-"};
  const CourseFolder folder = make_course(place.path());
  Store store = Store::create(place.path());
  AddOptions options;
};

}  // namespace opgrade::course::test
