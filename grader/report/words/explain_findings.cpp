#include "grader/report/words/explain_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/base/core/finding_kind.hpp"
#include "grader/report/words/text_layout.hpp"

namespace opgrade::report {
namespace {

constexpr std::array kFindingTexts{
    FindingExplanation{"grid_outside_memory",
                       "All blocks from an index on, and no others, are outside of their memory.",
                       "Two sizes of the grid are swapped, or a size lacks its division by the "
                       "block's. The kernel's own lines may be right."},
    FindingExplanation{"out_of_bounds", "A thread reads or writes outside the memory it was given.",
                       "A border check such as `if (h < H_out && w < W_out)` is missing, or a size "
                       "given to cudaMalloc lacks `* sizeof(float)`."},
    FindingExplanation{"index_out_of_range", "An index is outside the range of an array.",
                       "A __shared__ or local array is smaller than the tile that fills it."},
    FindingExplanation{"use_after_free", "The code uses memory after cudaFree.",
                       "A buffer is freed in the epilog of one call and used in the next one. Free "
                       "it last, and set the pointer to nullptr."},
    FindingExplanation{
        "misaligned", "A vector access is at an address of the wrong alignment.",
        "A float4 or half2 is read at an index that is no multiple of its width, or the rows of "
        "a fragment do not begin at multiples of 16 bytes."},
    FindingExplanation{"host_pointer_in_kernel", "A kernel uses memory of the host.",
                       "The host's pointer was given to the kernel. Give it the one of cudaMalloc, "
                       "after cudaMemcpy."},
    FindingExplanation{"memory_of_another_device",
                       "A kernel on one device uses memory of another one.",
                       "cudaSetDevice was not called before the allocation or the launch, or peer "
                       "access is not enabled. Copy by cudaMemcpyPeer, or call "
                       "cudaDeviceEnablePeerAccess."},
    FindingExplanation{"assertion", "An assert() in a kernel is false.",
                       "A condition that the code relies on does not hold. The line has it."},
    FindingExplanation{"stack_overflow", "A thread uses more stack than it has.",
                       "A recursion does not end, or a local array is large."},
    FindingExplanation{"uninitialized_read", "A kernel reads global memory that nothing wrote.",
                       "The copy to the device is missing or too short, or y is added to before it "
                       "is set."},
    FindingExplanation{
        "data_race",
        "Two threads use one place, at least one of them writes, and nothing orders them.",
        "A __syncthreads() is missing between writing and reading a tile, or after the last read "
        "of a loop round, or atomicAdd is needed, or a sum is set to 0 in the kernel that adds to "
        "it. With OpenMP, a variable of each thread is "
        "declared outside the parallel part, or a sum lacks `reduction` or `#pragma omp atomic`. A "
        "bad index can also make two threads use one place: fix out_of_bounds first."},
    FindingExplanation{
        "lost_update",
        "Two threads read a word, and each then writes its own new value: one of the updates is "
        "lost.",
        "A sum is read, changed and put back by atomicExch, or by an OpenMP atomic write, or an "
        "atomicCAS that fails is not repeated. Use atomicAdd, or a loop around atomicCAS; in "
        "OpenMP one `#pragma omp atomic` for the whole update."},
    FindingExplanation{
        "missing_wait",
        "Work that CUDA may do later is used as if it were done: the outputs are wrong if the "
        "emulated device does it as late as CUDA allows.",
        "A launch or an asynchronous copy returns before its work is done. Before host code uses "
        "managed or pinned memory, call cudaDeviceSynchronize() or cudaStreamSynchronize(). "
        "Between two streams, record an event and call cudaStreamWaitEvent(). In a kernel, wait "
        "for cp.async and memcpy_async before the data is read."},
    FindingExplanation{"local_of_another_thread",
                       "A thread reads a local variable of another thread.",
                       "The address of a local variable was put into __shared__ memory. Put the "
                       "value there."},
    FindingExplanation{"device_pointer_on_host", "The host's code uses memory of the device.",
                       "A pointer of cudaMalloc is read or written outside a kernel. Copy it to "
                       "the host first."},
    FindingExplanation{"host_pointer_in_copy",
                       "A copy names the host's memory where the device's belongs.",
                       "The two pointers of cudaMemcpy are swapped, or its direction is wrong."},
    FindingExplanation{"invalid_free", "cudaFree got a pointer that is not of cudaMalloc.",
                       "The memory is freed twice, or the pointer was moved."},
    FindingExplanation{
        "barrier_divergence", "Threads of a block wait at different barriers, or some at none.",
        "A __syncthreads() is inside an `if` that only some threads enter, while the "
        "others wait behind it. Move it out. Threads that have left the kernel are "
        "`exited_before_barrier`: a GPU does not wait for them."},
    FindingExplanation{"warp_divergence",
                       "A warp operation names threads that do not take part in it.",
                       "A mask such as 0xffffffff is used where some threads of the warp left or "
                       "went another way."},
    FindingExplanation{"invalid_grid_sync",
                       "grid.sync() is called in a kernel that was launched without cooperation.",
                       "Launch the kernel with cudaLaunchCooperativeKernel."},
    FindingExplanation{"division_by_zero", "A whole number is divided by zero.",
                       "A size or a tile count is zero for this shape."},
    FindingExplanation{"undefined_behavior",
                       "The C++ standard does not say what this operation does.",
                       "A signed number overflows, or a shift is as wide as its type."},
    FindingExplanation{"host_crash", "The host's code crashed.",
                       "An index or a pointer outside a kernel is wrong."},
    FindingExplanation{"constant_written", "A kernel writes __constant__ memory.",
                       "Fill it from the host with cudaMemcpyToSymbol."},
    FindingExplanation{"constant_memory_too_large",
                       "A file's __constant__ variables are larger than constant memory, 64 KiB.",
                       "All weights are put there. Put there what one layer needs, or what one "
                       "block reads."},
    FindingExplanation{"shared_memory_too_large",
                       "A kernel's __shared__ arrays are larger than a block may have.",
                       "A tile is too large. The limit without a launch argument is 48 KiB."},
    FindingExplanation{"launch_without_configuration", "A kernel is called as a plain function.",
                       "The launch lacks <<<grid, block>>>."},
    FindingExplanation{"not_emulated", "The code reached a part of CUDA that is not emulated.",
                       "Only a GPU can decide: `opgrade explain not_emulated`."},
    FindingExplanation{"unset_shared_read", "A thread reads __shared__ memory that nothing wrote.",
                       "The loop that fills the tile leaves places out at the border. Set them to "
                       "0."},
    FindingExplanation{"exited_before_barrier",
                       "Some threads left the kernel, others wait at a barrier.",
                       "A `return` at the border is above a __syncthreads(). Skip the work, not "
                       "the barrier."},
    FindingExplanation{"uninitialized_copy",
                       "Memory that nothing wrote was copied from the device to the host.",
                       "The kernel did not write all of y: the grid is too small, or its launch "
                       "failed."},
    FindingExplanation{"launch_refused", "CUDA refused a launch, and the program saw the error.",
                       "A block has more than 1024 threads, a dimension is 0, or there is too "
                       "much __shared__ memory."},
    FindingExplanation{"unchecked_launch_error",
                       "CUDA refused a launch, and the program did not look.",
                       "Read cudaGetLastError() after each launch. The template's macro does it."},
    FindingExplanation{"failed_call", "A call of CUDA returned an error, and nothing stopped.",
                       "The message has CUDA's words. A size is too large or negative, a pointer "
                       "is not one of cudaMalloc, or the call came in the wrong order. Check "
                       "every call's result."},
    FindingExplanation{"same_value_written",
                       "Threads write the same value to one place without a barrier.",
                       "Let one thread write it, such as the one with threadIdx.x == 0."},
    FindingExplanation{"device_pointer_in_copy",
                       "A copy names the device's memory where it says the host's.",
                       "The direction of cudaMemcpy does not fit its pointers."},
    FindingExplanation{"leak", "Memory of cudaMalloc was not freed at the end.",
                       "A cudaFree is missing in the epilog."},
    FindingExplanation{"endless_loop", "The code was here when its time was nearly over.",
                       "A loop's counter does not reach its end: the wrong variable in its "
                       "condition or its step. Or a loop does far too much work."},
    FindingExplanation{"uninitialized_variable",
                       "The compiler sees a variable that is read before it has a value.",
                       "A sum lacks its start: write `float acc = 0;`."},
    FindingExplanation{"compiler_warning", "The compiler accepts the line and doubts it.",
                       "The message says what it doubts."},
    FindingExplanation{"invalid_access", "compute-sanitizer saw an access outside valid memory.",
                       "A border check is missing, or an address has the wrong alignment."},
    FindingExplanation{"barrier_error", "compute-sanitizer saw a barrier that not all reach.",
                       "A __syncthreads() is inside an `if` that only some threads enter."},
    FindingExplanation{"api_error", "A CUDA call returned an error.",
                       "The message names the call. Check each call's result where it is made."},
    FindingExplanation{"unused_memory", "Memory was allocated and never used.",
                       "The allocation is larger than the kernel needs, or left over."},
};

std::string_view cost_of(std::string_view kind) {
  switch (weight_of(kind)) {
    case FindingWeight::decides:
      return "It costs the points of the case, also where the outputs are right.";
    case FindingWeight::warns:
      return "In self-check, and wherever the config has `findings: decide`, it always costs the "
             "points of the case. With other configs it costs them only if an output is wrong, in "
             "the run itself or in a rerun with another memory layout, other bytes in unwritten "
             "memory, or, for a race, blocks and threads in reverse order.";
    case FindingWeight::undecided:
      return "It costs no points: a GPU decides the case.";
    case FindingWeight::explains:
      return "It costs no points itself. Where an output is wrong, it is a likely reason.";
    case FindingWeight::untidy:
      return "It costs no points.";
  }
  return "";
}

}  // namespace

std::span<const FindingExplanation> finding_explanations() { return kFindingTexts; }

std::optional<std::string> finding_text(std::string_view kind, int width) {
  const auto found = std::ranges::find(kFindingTexts, kind, &FindingExplanation::kind);
  if (found == kFindingTexts.end()) return std::nullopt;
  std::string text = fmt::format("{} (a finding)\n\n", kind);
  text += wrap(found->meaning, width, "  ", "  ");
  text += "\nUsual cause\n" + wrap(found->cause, width, "  ", "  ");
  const bool of_emulation = std::ranges::find(finding_kinds(), kind) != finding_kinds().end();
  if (!of_emulation) return text;  // on a GPU, where `opgrade profile` shows it
  if (const auto gpu = on_a_gpu(kind); !gpu.empty())
    text += "\nOn a GPU\n" + wrap(gpu, width, "  ", "  ");
  text += "\nPoints\n" + wrap(cost_of(kind), width, "  ", "  ");
  return text;
}

}  // namespace opgrade::report
