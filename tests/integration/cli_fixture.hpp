/// Runs opgrade in a folder of its own, as a user at a shell does.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade::test {

inline constexpr const char* kSubmissions = OPGRADE_SOURCE_DIR "/tests/corpus/submissions";
inline constexpr const char* kQuick = OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml";

inline std::string submission(const char* name) { return std::string(kSubmissions) + "/" + name; }

class Cli : public testing::Test {
 protected:
  ProcessReport run(std::vector<std::string> arguments,
                    std::vector<std::string> environment = {}) const {
    return place.run(std::move(arguments), std::move(environment));
  }
  void write(const char* name, const std::string& text) const {
    std::filesystem::create_directories((place.path() / name).parent_path());
    std::ofstream(place.path() / name, std::ios::binary) << text;
  }
  /// A config with one case of the 86x86 network.
  void write_model_config(const std::string& weights, int batch) const {
    write("model.yaml",
          "opgrade: 1\nname: model\nmodels:\n  m: {network: fmnist-86, weights: " + weights +
              "}\nstages:\n  - name: cpu\n    device: cpu\n    cases: [{model: m, batch: " +
              std::to_string(batch) + ", points: 5}]\n");
  }
  /// One clear error: a message with a hint, nothing on stdout, this exit code.
  void expect_error(const ProcessReport& report, int code, const std::string& message) const {
    EXPECT_EQ(exit_code(report), code) << report.standard_error << report.standard_output;
    EXPECT_EQ(report.standard_output, "");
    EXPECT_THAT(report.standard_error, testing::HasSubstr(message));
    EXPECT_LE(std::count(report.standard_error.begin(), report.standard_error.end(), '\n'), 2)
        << report.standard_error;
  }

  Workplace place;
};

class SandboxedCli : public Cli {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", sandboxed(), "no sandbox here"); }
};

}  // namespace opgrade::test
