#include "grader/grading/pipeline/processor_name.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace opgrade {
namespace {

std::string name_in(const char* cpuinfo) {
  std::istringstream text(cpuinfo);
  return processor_name_in(text);
}

TEST(ProcessorName, IsTheModelOrTheNumbersOfArm) {
  EXPECT_EQ(name_in("processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 106\n"
                    "model name\t: Intel(R) Xeon(R) Processor @ 2.60GHz\n"),
            "Intel(R) Xeon(R) Processor @ 2.60GHz");
  // As Linux 6 writes it on a Neoverse N1.
  EXPECT_EQ(name_in("processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm\n"
                    "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"
                    "CPU part\t: 0xd0c\nCPU revision\t: 1\n"),
            "ARM64, implementer 0x41, part 0xd0c");
  EXPECT_EQ(name_in(""), "unknown processor");
}

}  // namespace
}  // namespace opgrade
