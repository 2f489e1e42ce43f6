#include "grader/base/core/resources.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <optional>
#include <string>

#include "grader/base/core/error.hpp"

namespace opgrade::resources {
namespace {

/// Sets a variable, or unsets it with nullptr, and puts the old value back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const old = ::getenv(name); old != nullptr) old_ = old;
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(Resources, ShareFolderOfTheBuildTreeHasWhatTheGraderReads) {
  const Variable none("OPGRADE_SHARE", nullptr);
  const auto share = share_folder();
  EXPECT_TRUE(std::filesystem::exists(share / "adapters/submission_abi.h"));
  EXPECT_TRUE(std::filesystem::exists(share / "configs/self-check.yaml"));
  EXPECT_TRUE(std::filesystem::exists(share / "student_template/cpu-new-forward.cc"));
}

TEST(Resources, ShareFolderCanBeNamed) {
  const Variable named("OPGRADE_SHARE", "/somewhere/else");
  EXPECT_EQ(share_folder(), "/somewhere/else");
}

TEST(Resources, MissingHelperIsAnErrorWithAHint) {
  try {
    helper_program("no-such-helper");
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("no-such-helper"), std::string::npos);
    EXPECT_FALSE(e.hint.empty());
  }
}

TEST(Resources, DataFolderByEnvironment) {
  const Variable home("HOME", "/home/student");
  {
    const Variable named("OPGRADE_DATA", "/data"), base("XDG_DATA_HOME", "/xdg");
    EXPECT_EQ(data_folder(), "/data");
  }
  const Variable unnamed("OPGRADE_DATA", nullptr);
  {
    const Variable base("XDG_DATA_HOME", "/xdg");
    EXPECT_EQ(data_folder(), "/xdg/opgrade");
  }
  {
    const Variable empty("XDG_DATA_HOME", "");
    EXPECT_EQ(data_folder(), "/home/student/.local/share/opgrade");
  }
  const Variable no_base("XDG_DATA_HOME", nullptr);
  EXPECT_EQ(data_folder(), "/home/student/.local/share/opgrade");
}

}  // namespace
}  // namespace opgrade::resources
