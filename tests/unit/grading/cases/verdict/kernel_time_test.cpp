#include "grader/grading/cases/verdict/kernel_time.hpp"

#include <gtest/gtest.h>

#include "grader/grading/profile/tables.hpp"

namespace opgrade {
namespace {

// Two layers of an interface with one function, in ns: copies around the kernels, of which two
// overlap in the second layer, and the grader's own launch after each call.
constexpr const char* kRecord =
    "opgrade-profile 1\n"
    "device 132 64 32 233472 65536 9 0 a device\n"
    "step conv 0 1000000 9000000 77\n"
    "call 1100000 1200000 77 1 runtime cudaMemcpy_v3020\n"
    "copy 1150000 3000000 1 4096 pageable device\n"
    "call 3100000 3110000 77 2 runtime cudaLaunchKernel_v7000\n"
    "kernel 3200000 5700000 2 1 1 1 32 1 1 16 0 0 0 conv\n"
    "call 9100000 9110000 77 3 runtime cudaLaunchKernel_v7000\n"
    "kernel 9200000 9900000 3 1 1 1 32 1 1 16 0 0 0 of_the_grader\n"
    "step conv 1 10000000 30000000 77\n"
    "call 11000000 11010000 77 4 runtime cudaLaunchKernel_v7000\n"
    "call 11020000 11030000 77 5 runtime cudaLaunchKernel_v7000\n"
    "call 11040000 11050000 77 6 runtime cudaLaunchKernel_v7000\n"
    "kernel 12000000 15000000 4 1 1 1 32 1 1 16 0 0 0 conv\n"
    "kernel 14000000 16000000 5 1 1 1 32 1 1 16 0 0 0 conv\n"
    "kernel 20000000 20250000 6 1 1 1 32 1 1 16 0 0 0 conv\n"
    "copy 21000000 29000000 7 4096 device pageable\n"
    "end\n";

ProfileReport profile_of(const std::string& record) {
  return tables_of(read_events(record), {{.name = "conv1"}, {.name = "conv2"}});
}

CaseReport two_layers() {
  CaseReport report;
  report.calls.resize(2);
  return report;
}

TEST(KernelTime, IsOfTheKernelsAloneLayerByLayer) {
  CaseReport report = two_layers();
  const ProfileReport profile = profile_of(kRecord);
  ASSERT_EQ(profile.problem, "");
  add_kernel_times(report, profile);
  ASSERT_TRUE(report.calls[0].kernel_time_ms);
  ASSERT_TRUE(report.calls[1].kernel_time_ms);
  EXPECT_DOUBLE_EQ(*report.calls[0].kernel_time_ms, 2.5);
  EXPECT_DOUBLE_EQ(*report.calls[1].kernel_time_ms, 4.25) << "12 to 16, and 0.25 later";
}

TEST(KernelTime, IsAbsentWhereItIsNotKnown) {
  const auto filled = [](const ProfileReport& profile) {
    CaseReport report = two_layers();
    add_kernel_times(report, profile);
    return report.calls[0].kernel_time_ms || report.calls[1].kernel_time_ms;
  };
  const std::string record = kRecord;
  ASSERT_TRUE(filled(profile_of(record)));
  EXPECT_FALSE(filled(profile_of(record.substr(0, record.find("end"))))) << "a torn record";
  ProfileReport one_layer = profile_of(record);
  one_layer.layers.pop_back();
  EXPECT_FALSE(filled(one_layer));
  // The emulated device counts launches and has no times.
  EXPECT_FALSE(filled(profile_of("opgrade-profile 1\ncount 3 conv 0 1 1 1 1 1 1 0 0 k\nend\n")));
  EXPECT_FALSE(filled(profile_of("opgrade-profile 1\nstep conv 0 100 200 77\nend\n")))
      << "no kernel was seen";
}

}  // namespace
}  // namespace opgrade
