#include "grader/report/advice_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/report/text_layout.hpp"

namespace opgrade::report {
namespace {

constexpr std::string_view kOfLoadUnits =
    "The load units have up to {:.0f} % less to do; the time hardly changes if the L1 cache serves "
    "these loads.";

constexpr std::array kRules{
    RuleExplanation{
        "constant_memory", "all lanes of a warp load the same word, {0:.0f} times",
        "Each such load passes through the load units, which limit the kernel.",
        "Put the array into __constant__ memory: its cache broadcasts a word without a load unit.",
        1, kOfLoadUnits},
    RuleExplanation{
        "shared_tile",
        "loads each element {0:.1f} times; blocks that load theirs once would load it {1:.1f} "
        "times",
        "Threads of a block load the same elements of global memory again and again.",
        "Let the block load its tile into __shared__ memory once, then __syncthreads().", 2,
        kOfLoadUnits},
    RuleExplanation{
        "register_tile",
        "loads {0:.1f} words for each operation; a tile of 4 x 4 outputs in "
        "registers needs {1:.1f}",
        "The units that load words limit the kernel, not the arithmetic.",
        "Let each thread compute several outputs and keep their sums in local variables, so that a "
        "loaded value serves several of them.",
        3},
    RuleExplanation{
        "fused_copy",
        "writes {0:.0f} bytes that only rearrange {1:.0f} bytes, for another kernel to read",
        "A copy in device memory costs its bytes twice.",
        "Let the second kernel gather its elements from the first array, tile by tile.", 4},
    RuleExplanation{
        "vector_loads", "loads {0:.0f} bytes of shared memory at a time; {1:.0f} are possible",
        "A load of 16 bytes is one instruction, and one pass where all lanes read the same.",
        "Store neighbours next to each other and read them as float4. Load the next tile while "
        "this one is used.",
        6},
    RuleExplanation{"needless_arithmetic",
                    "makes {0:.0f} multiply-adds, and the task needs {1:.0f}",
                    "Rows of a tile that belong to no output, zeros that fill up its depth, and "
                    "products that several warps repeat, cost as much as the others.",
                    "Fit the tile to the sizes, give each warp a product of its own, or leave the "
                    "matrix product and read the image in place.",
                    7},
    RuleExplanation{
        "idle_lanes", "{0:.1f} of {1:.0f} lanes of a warp are active",
        "A warp takes as long for a few lanes as for all.",
        "Choose blocks that fit the outputs, because a thread can load several elements "
        "of a larger tile; or give a block several images. Where some threads have much longer "
        "loops, let several threads share one.",
        8},
    RuleExplanation{
        "uncoalesced", "a warp touches {0:.1f} sectors of 32 bytes where {1:.1f} hold its data",
        "Neighbouring threads use addresses that are far from each other.",
        "Let neighbouring threads, which threadIdx.x numbers unless blockDim.x is 1, "
        "use neighbouring elements: the last index of the array, in rows of 32 threads. If the "
        "index is read from an array, copy what is looked up into __shared__ memory.",
        0},
    RuleExplanation{
        "bank_conflicts", "a warp takes {0:.1f} passes where {1:.1f} would do",
        "Lanes use different words of one of the 32 banks of shared memory.",
        "Let the 32 lanes use neighbouring words of one row: threadIdx.x as the last index, blocks "
        "of 32 columns. In blocks of 16 columns a warp uses two rows, which do not conflict where "
        "a row is 16 words longer than a multiple of 32. Where lanes walk down a column, pad the "
        "rows to an odd length, or an array of one dimension by a word after each 32. Pad rows of "
        "a tensor core's operands by 8 halves or 4 floats.",
        0},
    RuleExplanation{"constant_order", "a warp reads {0:.1f} different constants at a time",
                    "Constant memory delivers one word at a time to a warp.",
                    "Let all threads of a warp read the same element, or read the array from "
                    "global memory: into __shared__ memory, if it is used often.",
                    0},
    RuleExplanation{
        "crowded_atomics", "{0:.0f} lanes of a warp change one address at a time",
        "Atomic operations on one address happen one after another.",
        "Add up within the warp (__reduce_add_sync, __shfl_down_sync) or in __shared__ memory "
        "first.",
        0},
    RuleExplanation{
        "double_arithmetic", "makes {0:.0f} operations in double precision",
        "Double precision takes twice the time on a data centre's GPU, and 32 or 64 times on "
        "others.",
        "Write 1.0f for 1.0, and sqrtf or expf for sqrt or exp.", 0},
};

const RuleExplanation* find_rule(std::string_view rule) {
  const auto found = std::ranges::find(kRules, rule, &RuleExplanation::rule);
  return found != kRules.end() ? &*found : nullptr;
}

std::string counted_words(const RuleExplanation& rule, const ProfileAdvice& advice) {
  std::string where = advice.kernel;
  if (advice.line > 0) where += fmt::format(", {}:{}", advice.file, advice.line);
  return fmt::format("{}: {}", where,
                     fmt::format(fmt::runtime(rule.counted), advice.counted, advice.least));
}

}  // namespace

std::span<const RuleExplanation> rule_explanations() { return kRules; }

std::string advice_sentence(const ProfileAdvice& advice) {
  const RuleExplanation* const rule = find_rule(advice.rule);
  if (rule == nullptr) return "";
  return fmt::format("{} ({}). {} {}", counted_words(*rule, advice), advice.rule, rule->remedy,
                     fmt::format(fmt::runtime(rule->saving), 100 * advice.saving));
}

std::string advice_line(const std::vector<ProfileAdvice>& advice) {
  if (advice.empty()) return "";
  const RuleExplanation* const rule = find_rule(advice.front().rule);
  return rule == nullptr ? "" : counted_words(*rule, advice.front()) + ": `opgrade profile`";
}

std::optional<std::string> rule_text(std::string_view name, int width) {
  const RuleExplanation* const rule = find_rule(name);
  if (rule == nullptr) return std::nullopt;
  std::string text = fmt::format("{} (advice of `opgrade profile`)\n\n", name);
  text += wrap(rule->meaning, width, "  ", "  ");
  text += "\nRemedy\n" + wrap(rule->remedy, width, "  ", "  ");
  if (rule->rung > 0)
    text += "\nExample\n" + wrap(fmt::format("Rung {} of the ladder has it, and the next rung "
                                             "takes this step: kernels/README.md.",
                                             rule->rung),
                                 width, "  ", "  ");
  return text;
}

}  // namespace opgrade::report
