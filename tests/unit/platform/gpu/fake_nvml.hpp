/// What the fake libnvidia-ml.so answers and what it was asked; a test finds it in the loaded
/// library by its name, fake_nvml.
#pragma once

namespace opgrade::test {

struct FakeNvml {
  int started = 0;      ///< calls of nvmlInit_v2
  int init_result = 0;  ///< what they return; 0 is success
  unsigned devices = 2;
  int capabilities[2] = {90, 86};  ///< ten times the major number and the minor one, a device
  unsigned clock = 1410, highest_clock = 1980;  ///< MHz
  unsigned temperature = 61;                    ///< degrees Celsius
  unsigned long long reasons = 0;
  unsigned processes[2] = {};  ///< their PIDs; 0: none
};

}  // namespace opgrade::test
