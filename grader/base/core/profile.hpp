/// A submission's device activity, as tables: filled by `profile`, printed by the reports.
///
/// The events come from the submission's own process, so they inform the reader but decide no
/// verdict. Times are nanoseconds of the device's clock (kernels, memory operations) or of the
/// host's (calls); names are the submission's and went through printable().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/reason.hpp"

namespace opgrade {

/// All kernels, or all API calls, of one name.
struct ProfileTimeRow {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t total_ns = 0, minimum_ns = 0, maximum_ns = 0;
  double share = 0;      ///< of the table's total, 0 to 1
  bool leading = false;  ///< in the shortest list whose shares together exceed 90 %

  double average_ns() const {
    return calls > 0 ? static_cast<double>(total_ns) / static_cast<double>(calls) : 0;
  }

  friend bool operator==(const ProfileTimeRow&, const ProfileTimeRow&) = default;
};

/// All copies of one direction, or all fills.
struct ProfileMemoryRow {
  std::string name;  ///< "copy pageable to device", "fill"
  std::int64_t calls = 0;
  std::int64_t bytes = 0, smallest = 0, largest = 0;
  std::int64_t total_ns = 0, minimum_ns = 0, maximum_ns = 0;

  double bytes_per_second() const {
    return total_ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(total_ns) : 0;
  }

  friend bool operator==(const ProfileMemoryRow&, const ProfileMemoryRow&) = default;
};

/// A kernel's sizes.
struct ProfileLaunch {
  std::string name;
  int grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  int registers = 0;                                              ///< for each thread
  std::int64_t static_shared = 0, dynamic_shared = 0, local = 0;  ///< bytes; local: for each thread

  friend bool operator==(const ProfileLaunch&, const ProfileLaunch&) = default;
};

/// One way of launching one kernel, and what it needs of a multiprocessor.
struct ProfileLaunchRow : ProfileLaunch {
  /// "conv", "prolog", "epilog" or "between calls". "conv" is the timed call of every task.
  std::string step;
  std::int64_t calls = 0;
  int blocks_per_multiprocessor = 0;
  double occupancy = 0;  ///< theoretical: resident warps over the possible maximum; 0 if unknown
  std::string limited_by;

  friend bool operator==(const ProfileLaunchRow&, const ProfileLaunchRow&) = default;
};

/// One computation and what the device did for it.
struct ProfileLayerRow {
  std::string layer;
  Coordinates shape;
  std::int64_t kernels_ns = 0;  ///< time in which some kernel of the timed call ran
  std::int64_t launches = 0;    ///< in the timed call
  std::int64_t outside_ns = 0;  ///< time in which a kernel launched outside the call ran
  std::int64_t outside_launches = 0;
  double flops_per_second = 0;  ///< the task's own operations over kernels_ns
  double bytes_per_second = 0;  ///< inputs read once, the output written once
  double flops = 0;             ///< the task's own operations

  friend bool operator==(const ProfileLayerRow&, const ProfileLayerRow&) = default;
};

/// Measured on the same device by the grader's own kernels.
struct ProfileCeilings {
  double fp32_flops_per_second = 0;  ///< a chain of multiply-adds, two operations each
  double copy_bytes_per_second = 0;  ///< a copy on the device, bytes read plus bytes written

  friend bool operator==(const ProfileCeilings&, const ProfileCeilings&) = default;
};

/// The accesses of one kind in one line of a kernel, as a GPU's warps would make them.
struct ProfileAccessRow {
  std::string space;  ///< "global", "shared" or "constant"
  std::string use;    ///< "load", "store" or "atomic"
  std::string file;
  int line = 0;
  int array = 0;                      ///< number of its row in `arrays`, from 1; 0 if there is none
  std::int64_t requests = 0;          ///< instructions of warps
  std::int64_t lanes = 0;             ///< active lanes of the requests
  std::int64_t bytes = 0;             ///< of all lanes
  std::int64_t sectors = 0;           ///< sectors of 32 bytes, for global memory
  std::int64_t least_sectors = 0;     ///< sectors if the same bytes had no gaps
  std::int64_t wavefronts = 0;        ///< passes, for shared and constant memory
  std::int64_t least_wavefronts = 0;  ///< passes without conflicts
  std::int64_t crowd = 0;             ///< lanes at the busiest address of each request, summed
  std::int64_t exchanged = 0;         ///< loaded words of shared memory that another thread wrote
  bool useless = false;   ///< of a load: the outputs stay right even if it returns other values
  std::int64_t site = 0;  ///< position of the instruction in the counting build

  friend bool operator==(const ProfileAccessRow&, const ProfileAccessRow&) = default;
};

/// An allocation that a kernel loads from, in elements of four bytes.
struct ProfileArrayRow {
  std::int64_t bytes = 0;      ///< of the allocation
  std::int64_t loads = 0;      ///< by threads
  std::int64_t of_blocks = 0;  ///< different elements that a block loads, summed over blocks
  std::int64_t of_grids = 0;   ///< different elements that a launch loads, summed over launches

  friend bool operator==(const ProfileArrayRow&, const ProfileArrayRow&) = default;
};

/// Arithmetic operations of threads on numbers of one type.
struct ProfileArithmetic {
  std::int64_t add = 0, multiply = 0, fused = 0, divide = 0;

  /// Instructions of a GPU; divisions are left out because a GPU has no instruction for them.
  std::int64_t instructions() const { return add + multiply + fused; }

  friend bool operator==(const ProfileArithmetic&, const ProfileArithmetic&) = default;
};

/// What the threads did in one way of launching one kernel for one computation.
struct ProfileCountRow {
  std::string name;
  std::string step;  ///< as ProfileLaunchRow::step
  int layer = 0;     ///< index in the profile's counted_layers
  int grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::int64_t launches = 0;
  ProfileArithmetic of_float, of_double;
  std::int64_t barriers = 0;                            ///< summed over blocks
  std::int64_t shuffles = 0, votes = 0, fragments = 0;  ///< summed over warps
  std::int64_t threads = 0;
  std::int64_t idle = 0;          ///< threads that access neither global nor shared memory
  std::int64_t same_address = 0;  ///< the largest number of atomic operations on one address
  bool copies = false;            ///< its stores write the values of its loads to other addresses
  std::int64_t exchanged = 0;     ///< words of shared memory that a thread loads and another wrote
  std::int64_t memory_bytes = 0;  ///< of device memory, counting each word of an array once
  std::string limit;              ///< the busiest of "arithmetic", "load units" and "memory"
  double least_ns = 0;            ///< by its rate on the GPU of `roofline`
  std::vector<ProfileArrayRow> arrays;
  std::vector<ProfileAccessRow> accesses;

  friend bool operator==(const ProfileCountRow&, const ProfileCountRow&) = default;
};

/// One step towards a faster kernel, and the counts that support it.
struct ProfileAdvice {
  std::string rule;  ///< as `opgrade explain` knows it
  std::string kernel;
  std::string file;  ///< file of the line with the largest part; empty if no line is meant
  int line = 0;
  /// The count that the rule is about: loads of an element, sectors of a request, ...
  double counted = 0;
  double least = 0;   ///< what the count could be
  double saving = 0;  ///< the largest share of the kernels' time that it can save, 0 to 1

  friend bool operator==(const ProfileAdvice&, const ProfileAdvice&) = default;
};

/// A file of the submission that has counted lines.
struct ProfileSource {
  std::string file, text;

  friend bool operator==(const ProfileSource&, const ProfileSource&) = default;
};

struct ProfileReport {
  std::string device;
  std::string source;   ///< what counted: "CUPTI", "the emulated device"; empty if nothing could
  bool timed = false;   ///< false: calls only, no times (the emulated device)
  std::string problem;  ///< why there is nothing, or not everything; empty if all is well
  std::vector<ProfileTimeRow> kernels, calls;
  std::vector<ProfileMemoryRow> memory;
  std::vector<ProfileLaunchRow> launches;
  std::vector<ProfileLayerRow> layers;
  std::vector<ProfileCountRow> counts;          ///< of a few images, from a build that counts
  std::vector<ProfileLayerRow> counted_layers;  ///< the layers of `counts`, with these images
  std::optional<Reason> miscounted;    ///< why the outputs of the counting run are not right
  std::vector<ProfileAdvice> advice;   ///< by saving, the largest first
  std::string roofline;                ///< the GPU whose rates are used; empty without counts
  std::vector<ProfileSource> sources;  ///< with counted lines
  std::optional<ProfileCeilings> ceilings;

  friend bool operator==(const ProfileReport&, const ProfileReport&) = default;
};

}  // namespace opgrade
