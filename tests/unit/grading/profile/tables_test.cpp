#include "grader/grading/profile/tables.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

constexpr std::uint32_t kHarness = 10, kOther = 11;

/// Two layers, each with a prolog, a conv call and an epilog of 100 ns with gaps of 100 between.
ProfileEvents two_layers() {
  ProfileEvents e;
  e.device.name = "a device";
  std::int64_t at = 100;
  for (int layer = 0; layer < 2; ++layer) {
    for (const auto step : {ProfileStep::prolog, ProfileStep::call, ProfileStep::epilog}) {
      e.steps.push_back({step, layer, at, at + 100, kHarness});
      at += 200;
    }
  }
  return e;
}
// Layer 0: prolog 100-200, conv 300-400, epilog 500-600; layer 1: 700-, 900-, 1100-.

const std::vector<ProfiledLayer> kLayers{
    {.name = "conv1", .flops = 96 * 9 * 2, .bytes = 4 * (72 + 27 + 96)}, {.name = "conv2"}};

void launch(ProfileEvents& e, std::uint32_t correlation, std::int64_t asked, std::int64_t start,
            std::int64_t end, const std::string& name = "k", std::uint32_t thread = kHarness) {
  e.calls.push_back({asked, asked + 5, thread, correlation, false, "cudaLaunchKernel_v7000"});
  KernelEvent kernel;
  kernel.start = start;
  kernel.end = end;
  kernel.correlation = correlation;
  kernel.name = name;
  e.kernels.push_back(kernel);
}

const ProfileTimeRow* row(const std::vector<ProfileTimeRow>& rows, const std::string& name) {
  for (const auto& r : rows) {
    if (r.name == name) return &r;
  }
  return nullptr;
}

TEST(Tables, RowsHaveTotalsSharesAndTheLeadingOnes) {
  ProfileEvents e = two_layers();
  launch(e, 1, 310, 320, 330, "short");
  launch(e, 2, 316, 340, 400, "long");
  launch(e, 3, 322, 420, 450, "long");
  const auto p = tables_of(e, kLayers);
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.kernels[0].name, "long");
  EXPECT_EQ(p.kernels[0].calls, 2);
  EXPECT_EQ(p.kernels[0].total_ns, 90);
  EXPECT_EQ(p.kernels[0].minimum_ns, 30);
  EXPECT_EQ(p.kernels[0].maximum_ns, 60);
  EXPECT_EQ(p.kernels[0].average_ns(), 45);
  EXPECT_DOUBLE_EQ(p.kernels[0].share, 0.9);
  EXPECT_TRUE(p.kernels[0].leading);
  EXPECT_TRUE(p.kernels[1].leading) << "90 % exactly does not exceed 90 %";
  EXPECT_TRUE(p.timed);
}

TEST(Tables, TheLeadingListIsTheShortest) {
  std::vector<ProfileTimeRow> rows(4);
  rows[0].total_ns = 5;
  rows[1].total_ns = 60;
  rows[2].total_ns = 31;
  rows[3].total_ns = 4;
  rank_rows(rows);
  EXPECT_EQ(rows[0].total_ns, 60);
  EXPECT_TRUE(rows[0].leading);
  EXPECT_TRUE(rows[1].leading);
  EXPECT_FALSE(rows[2].leading);
  EXPECT_FALSE(rows[3].leading);
}

TEST(Tables, WorkBelongsToTheStepThatLaunchedIt) {
  ProfileEvents e = two_layers();
  launch(e, 1, 150, 330, 350);                  // prolog of layer 0, runs during its conv call
  launch(e, 2, 390, 450, 470);                  // conv of layer 0, runs after its return
  launch(e, 3, 950, 960, 990);                  // conv of layer 1
  launch(e, 4, 1010, 1020, 1030, "k", kOther);  // by another thread, between the steps of layer 1
  launch(e, 5, 960, 961, 962, "k", kOther);     // by another thread, during the conv call
  const auto p = tables_of(e, kLayers);
  ASSERT_EQ(p.layers.size(), 2u);
  EXPECT_EQ(p.layers[0].launches, 1);
  EXPECT_EQ(p.layers[0].kernels_ns, 20);
  EXPECT_EQ(p.layers[0].outside_launches, 1);
  EXPECT_EQ(p.layers[0].outside_ns, 20);
  EXPECT_EQ(p.layers[1].launches, 2);
  EXPECT_EQ(p.layers[1].kernels_ns, 30) << "961-962 lies inside 960-990";
  EXPECT_EQ(p.layers[1].outside_launches, 1);
  EXPECT_EQ(p.layers[1].outside_ns, 10);
  ASSERT_EQ(p.launches.size(), 3u);
  EXPECT_EQ(p.launches[0].step, "prolog");
  EXPECT_EQ(p.launches[1].step, "conv");
  EXPECT_EQ(p.launches[1].calls, 3);
  EXPECT_EQ(p.launches[2].step, "between calls");
}

TEST(Tables, AKernelWithoutItsCallBelongsToWhereItRan) {
  ProfileEvents e = two_layers();
  launch(e, 1, 310, 320, 330);
  e.calls.clear();
  const auto p = tables_of(e, kLayers);
  EXPECT_EQ(p.layers[0].launches, 1);
}

TEST(Tables, TheGradersOwnCallsAreLeftOut) {
  ProfileEvents e = two_layers();
  launch(e, 1, 250, 255, 260, "nothing");  // the harness wakes the device between two steps
  e.calls.push_back({401, 450, kHarness, 2, false, "cudaDeviceSynchronize_v3020"});
  e.memory.push_back({251, 252, 3, 64, "", ""});
  e.calls.push_back({251, 252, kHarness, 3, false, "cudaMemset_v3020"});
  const auto p = tables_of(e, kLayers);
  EXPECT_TRUE(p.kernels.empty());
  EXPECT_TRUE(p.calls.empty());
  EXPECT_TRUE(p.memory.empty());
  EXPECT_EQ(p.layers[0].outside_launches, 0);
}

/// The calls of one conv step, one every ns from 310 on.
ProfileEvents conv_calls(const std::vector<std::string>& names) {
  ProfileEvents e = two_layers();
  std::int64_t at = 310;
  for (const auto& name : names) {
    e.calls.push_back({at, at + 1, kHarness, static_cast<std::uint32_t>(at), false, name});
    at += 2;
  }
  return e;
}

TEST(Tables, TheAdaptersEventsAreLeftOutAndTheStudentsStay) {
  const std::vector<std::string> before{"cudaEventCreate_v3020", "cudaEventCreate_v3020",
                                        "cudaEventRecord_v3020"};
  const std::vector<std::string> after{"cudaEventRecord_v3020", "cudaEventSynchronize_v3020",
                                       "cudaEventElapsedTime_v3020", "cudaEventDestroy_v3020",
                                       "cudaEventDestroy_v3020"};
  std::vector<std::string> names = before;
  names.push_back("cudaLaunchKernel_v7000");
  names.push_back("cudaEventRecord_v3020");  // the student's own
  names.insert(names.end(), after.begin(), after.end());
  const auto p = tables_of(conv_calls(names), kLayers);
  EXPECT_EQ(p.calls.size(), 2u);
  ASSERT_NE(row(p.calls, "cudaEventRecord"), nullptr);
  EXPECT_EQ(row(p.calls, "cudaEventRecord")->calls, 1);
  EXPECT_EQ(row(p.calls, "cudaLaunchKernel")->calls, 1);

  // Where the pattern does not fit nothing is left out.
  names.erase(names.begin());
  EXPECT_EQ(row(tables_of(conv_calls(names), kLayers).calls, "cudaEventRecord")->calls, 3);
}

TEST(Tables, DriverCallsInsideARuntimeCallArePartOfIt) {
  ProfileEvents e = two_layers();
  e.calls.push_back({110, 150, kHarness, 1, false, "cudaMalloc_v3020"});
  e.calls.push_back({120, 140, kHarness, 2, true, "cuMemAlloc_v2"});
  e.calls.push_back({121, 122, kOther, 3, true, "cuLaunchKernel"});    // another thread's
  e.calls.push_back({160, 170, kHarness, 4, true, "cuLaunchKernel"});  // called directly
  const auto p = tables_of(e, kLayers);
  EXPECT_EQ(row(p.calls, "cuMemAlloc_v2"), nullptr);
  ASSERT_NE(row(p.calls, "cuLaunchKernel"), nullptr);
  EXPECT_EQ(row(p.calls, "cuLaunchKernel")->calls, 2);
  EXPECT_EQ(row(p.calls, "cudaMalloc")->total_ns, 40);
}

TEST(Tables, MemoryOperationsByDirectionWithThroughput) {
  ProfileEvents e = two_layers();
  e.memory.push_back({110, 120, 1, 1000, "pageable", "device"});
  e.memory.push_back({130, 160, 2, 3000, "pageable", "device"});
  e.memory.push_back({510, 515, 3, 500, "device", "pageable"});
  e.memory.push_back({170, 171, 4, 64, "", ""});
  const auto p = tables_of(e, kLayers);
  ASSERT_EQ(p.memory.size(), 3u);
  EXPECT_EQ(p.memory[0].name, "copy pageable to device");
  EXPECT_EQ(p.memory[0].calls, 2);
  EXPECT_EQ(p.memory[0].bytes, 4000);
  EXPECT_EQ(p.memory[0].smallest, 1000);
  EXPECT_EQ(p.memory[0].largest, 3000);
  EXPECT_DOUBLE_EQ(p.memory[0].bytes_per_second(), 1e11);
  EXPECT_EQ(p.memory[1].name, "copy device to pageable");
  EXPECT_EQ(p.memory[2].name, "fill");
}

TEST(Tables, RatesAreOfTheConvolutionAndNotOfTheKernel) {
  ProfileEvents e = two_layers();
  launch(e, 1, 310, 320, 420);  // 100 ns
  const auto p = tables_of(e, kLayers);
  // conv1: y is 2 x 3 x 4 x 4 = 96, each 9 multiply-adds; x 72, k 27 elements.
  EXPECT_DOUBLE_EQ(p.layers[0].flops_per_second, 96 * 9 * 2 / 100e-9);
  EXPECT_DOUBLE_EQ(p.layers[0].bytes_per_second, 4 * (72 + 27 + 96) / 100e-9);
  EXPECT_EQ(p.layers[1].flops_per_second, 0);
}

TEST(Tables, CountsOfTheEmulatedDeviceHaveNoTimes) {
  ProfileEvents e;
  const auto count = [&](std::int64_t n, bool in_step, ProfileStep step, int layer) {
    CountEvent event;
    event.count = n;
    event.in_step = in_step;
    event.step = step;
    event.layer = layer;
    event.name = "k";
    e.counts.push_back(event);
  };
  count(3, true, ProfileStep::call, 0);
  count(2, true, ProfileStep::prolog, 1);
  count(1, false, ProfileStep::call, 1);
  const auto p = tables_of(e, kLayers);
  EXPECT_FALSE(p.timed);
  ASSERT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(p.kernels[0].calls, 6);
  EXPECT_FALSE(p.kernels[0].leading);
  EXPECT_EQ(p.layers[0].launches, 3);
  EXPECT_EQ(p.layers[0].outside_launches, 0);
  EXPECT_EQ(p.layers[1].launches, 0);
  EXPECT_EQ(p.layers[1].outside_launches, 3);
  ASSERT_EQ(p.launches.size(), 3u);
  EXPECT_EQ(p.launches[0].calls, 3);
}

TEST(Tables, LayersOfForgedStepsAreIgnored) {
  ProfileEvents e = two_layers();
  e.steps[1].layer = 1'000'000;
  launch(e, 1, 310, 320, 420);
  const auto p = tables_of(e, kLayers);
  EXPECT_EQ(p.layers[0].launches + p.layers[1].launches, 0);
  EXPECT_EQ(p.kernels.size(), 1u);
}

TEST(Tables, LostRecordsAreSaid) {
  ProfileEvents e = two_layers();
  e.lost = 5;
  EXPECT_NE(tables_of(e, kLayers).problem.find("5 records"), std::string::npos);
}

}  // namespace
}  // namespace opgrade
