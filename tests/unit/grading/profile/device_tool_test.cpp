// The table of tools: wishes as text, programs that are found, what they complain of.
#include "grader/grading/profile/device_tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

void make_program(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "#!/bin/sh\n";
  fs::permissions(file, fs::perms::owner_all);
}

void write_parameters(const fs::path& root, const std::string& text) {
  fs::create_directories(root / "proc/driver/nvidia");
  std::ofstream(root / "proc/driver/nvidia/params") << text;
}

class DeviceTools : public testing::Test {
 protected:
  DeviceTools() {
    ::unsetenv("OPGRADE_NCU");
    ::unsetenv("OPGRADE_NSYS");
  }
  ~DeviceTools() override { ::unsetenv("OPGRADE_NCU"); }

  TempDir place{"opgrade-device-tools-"};
  const DeviceTool& ncu = *device_tool("ncu");
  const DeviceTool& nsys = *device_tool("nsys");
};

TEST_F(DeviceTools, AWishIsTheSameAsText) {
  for (const char* text :
       {"", "profile", "sanitizer", "nsys", "ncu:conv_forward_kernel", "ncu:_k2"}) {
    const auto wish = read_tool_wish(text);
    ASSERT_TRUE(wish) << text;
    EXPECT_EQ(wish->text(), text);
  }
}

TEST_F(DeviceTools, AKernelIsANameAndGoesWithATool) {
  for (const char* text :
       {"gdb", "ncu", "ncu:", "profile:kernel", "nsys:kernel", "ncu:a b", "ncu:regex:.*",
        "ncu:--mode=attach", "ncu:1st", "ncu:a;rm", "ncu:a\nb", ":kernel"})
    EXPECT_FALSE(read_tool_wish(text)) << text;
  EXPECT_FALSE(is_kernel_name(std::string(201, 'k')));
}

TEST_F(DeviceTools, TheVendorsFoldersAreSearchedTheNewestFirst) {
  EXPECT_FALSE(find_tool(ncu, std::nullopt, place.path()));
  for (const char* version : {"2024.3.2", "2025.10.0", "2025.9.1"})
    make_program(place.path() / "opt/nvidia/nsight-compute" / version / "ncu");
  make_program(place.path() / "opt/nvidia/nsight-systems/2025.1.1/target-linux-x64/nsys");
  const auto found = find_tool(ncu, std::nullopt, place.path());
  ASSERT_TRUE(found);
  EXPECT_THAT(found->program.string(), HasSubstr("2025.10.0/ncu"));
  EXPECT_FALSE(found->named);
  const auto systems = find_tool(nsys, std::nullopt, place.path());
  ASSERT_TRUE(systems);
  EXPECT_EQ(systems->program.lexically_relative(systems->folder), "target-linux-x64/nsys");
  make_program(place.path() / "cuda/nsight-compute-2023.1/ncu");
  EXPECT_THAT(find_tool(ncu, place.path() / "cuda", place.path())->program.string(),
              HasSubstr("cuda/nsight-compute-2023.1"))
      << "the toolkit's own is that which fits it";
}

TEST_F(DeviceTools, AVariableNamesTheProgram) {
  make_program(place.path() / "mine/any");
  ::setenv("OPGRADE_NCU", (place.path() / "mine/any").c_str(), 1);
  const auto found = find_tool(ncu, std::nullopt, place.path());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->named);
  EXPECT_EQ(found->folder.filename(), "mine");
  make_program(place.path() / "opt/nvidia/nsight-compute/2025.1/ncu");
  ::setenv("OPGRADE_NCU", "/none", 1);
  EXPECT_FALSE(find_tool(ncu, std::nullopt, place.path()))
      << "a wrong name is no wish for another one";
}

TEST_F(DeviceTools, ACommandLineEndsWithItsTarget) {
  const ToolCall call{"/opgrade/tool/ncu", "/tmp/out", "kernel_1", {"harness", "submission"}};
  const auto line = ncu.command(call);
  EXPECT_THAT(line, IsSupersetOf({std::string("/tmp/out"), std::string("kernel_1"),
                                  std::string("application-only")}));
  EXPECT_THAT(std::vector(line.end() - 2, line.end()), ElementsAre("harness", "submission"));
  EXPECT_THAT(nsys.command(call), testing::Contains("--output=/tmp/out"));
}

TEST_F(DeviceTools, TheDriverMayKeepTheCounters) {
  EXPECT_THAT(counters_restricted(place.path()), IsEmpty()) << "without a driver nothing is known";
  write_parameters(place.path(), "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 0\n");
  EXPECT_THAT(counters_restricted(place.path()), IsEmpty());
  write_parameters(place.path(), "RmProfilingAdminOnly: 1\nPreserveVideoMemoryAllocations: 0\n");
  const std::string why = counters_restricted(place.path());
  EXPECT_THAT(why, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(why, HasSubstr("CAP_SYS_ADMIN"));
}

TEST_F(DeviceTools, AToolThatDoesNotRunHasItsReason) {
  const FoundTool installed{"/t/ncu", "/t", false}, named{"/t/ncu", "/t", true};
  const std::string title = "Nsight Compute";
  const auto why = [&](const std::optional<FoundTool>& found, Device device) {
    return why_unusable(ncu, found, device, place.path());
  };
  EXPECT_FALSE(why(installed, Device::cuda));
  EXPECT_FALSE(why(named, Device::emulated)) << "staff's own program";
  EXPECT_EQ(why(installed, Device::emulated), Note(notes::ToolNeedsGpu{.tool = title}));
  EXPECT_EQ(why(std::nullopt, Device::emulated), Note(notes::ToolNeedsGpu{.tool = title}));
  EXPECT_EQ(why(std::nullopt, Device::cuda), Note(notes::ToolMissing{.tool = title}));
  write_parameters(place.path(), "RmProfilingAdminOnly: 1\n");
  EXPECT_EQ(why(installed, Device::cuda),
            Note(notes::CountersKept{.tool = title, .words = counters_restricted(place.path())}));
  EXPECT_FALSE(why_unusable(nsys, installed, Device::cuda, place.path()))
      << "Nsight Systems reads no counters";
  ::setenv("OPGRADE_NCU", "/none", 1);
  for (const Device device : {Device::cuda, Device::emulated})
    EXPECT_EQ(
        why(std::nullopt, device),
        Note(notes::ToolMissing{.tool = title, .variable = "OPGRADE_NCU", .program = "/none"}));
}

TEST_F(DeviceTools, AFileIsNamedByItsStageIfThereAreSeveral) {
  EXPECT_THAT(tool_file_names(ncu, {}), IsEmpty());
  EXPECT_THAT(tool_file_names(ncu, {"the one"}), ElementsAre("profile.ncu-rep"));
  EXPECT_THAT(tool_file_names(nsys, {"gpu", "a-b.ncu-rep"}),
              ElementsAre("profile-gpu.nsys-rep", "profile-a-b.ncu-rep.nsys-rep"));
  const auto names = tool_file_names(ncu, {"a/b", "a_b", "a b", "x#2", "q\"", "\xc3\xa9", "%2e"});
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size())
      << "one would replace another";
  EXPECT_EQ(names.front(), "profile-a_b.ncu-rep");
  for (const auto& name : names) {
    EXPECT_TRUE(is_tool_file_name(name)) << name;
    EXPECT_EQ(name.find_first_of("/ #\"%"), name.npos) << name;
  }
  for (const char* name : {"", "profile", ".ncu-rep", "report.json", "profile.ncu-rep.1",
                           "profilegpu.ncu-rep", "profile-../x.ncu-rep", "profile-a b.ncu-rep",
                           "profile-\".ncu-rep", "../profile.ncu-rep", "profile.sqlite"})
    EXPECT_FALSE(is_tool_file_name(name)) << name;
}

TEST_F(DeviceTools, AComplaintHasItsReason) {
  const ToolWish wish{&ncu, "conv"};
  const std::string title = "Nsight Compute";
  const Note kept = tool_complaint(wish, "==ERROR== ERR_NVGPUCTRPERM - The user does not have");
  ASSERT_TRUE(kept.is<notes::CountersKept>());
  const auto& counters = std::get<notes::CountersKept>(kept.what);
  EXPECT_TRUE(counters.tried);
  EXPECT_THAT(counters.words, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_EQ(tool_complaint(wish, "==WARNING== No kernels were profiled.\nAvailable Kernels:\n"),
            Note(notes::KernelNotLaunched{.tool = title, .kernel = "conv"}));
  const Note last = tool_complaint(wish, "first\nthe last\x1b[31m line\n\n");
  ASSERT_TRUE(last.is<notes::ToolWroteNothing>());
  EXPECT_THAT(std::get<notes::ToolWroteNothing>(last.what).words,
              testing::AllOf(testing::StartsWith("the last"), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(tool_complaint({&nsys, ""}, ""),
            Note(notes::ToolWroteNothing{.tool = "Nsight Systems"}));
}

}  // namespace
}  // namespace opgrade
