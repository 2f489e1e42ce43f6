#include "grader/report/words/advice_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/report/words/text_layout.hpp"

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
        "__global__ void conv(float* y, const float* x, const float* k) {\n"
        "  // ...\n"
        "  for (int q = 0; q < K; ++q) sum += x[i + q] * k[q];\n"
        "}",
        "__constant__ float weights[4096];  // filled by cudaMemcpyToSymbol before the launch\n"
        "__global__ void conv(float* y, const float* x) {\n"
        "  // ...\n"
        "  for (int q = 0; q < K; ++q) sum += x[i + q] * weights[q];\n"
        "}",
        1, kOfLoadUnits},
    RuleExplanation{
        "shared_tile",
        "loads each element {0:.1f} times; blocks that load theirs once would load it {1:.1f} "
        "times",
        "Threads of a block load the same elements of global memory again and again.",
        "Let the block load its tile into __shared__ memory once, then __syncthreads().",
        "for (int q = 0; q < K; ++q)\n"
        "  sum += x[i + q] * weights[q];  // the neighbours load most of these elements, too",
        "__shared__ float tile[kThreads + K - 1];\n"
        "for (int t = threadIdx.x; t < kThreads + K - 1; t += kThreads)\n"
        "  tile[t] = first + t < n ? x[first + t] : 0;\n"
        "__syncthreads();\n"
        "for (int q = 0; q < K; ++q) sum += tile[threadIdx.x + q] * weights[q];",
        2, kOfLoadUnits},
    RuleExplanation{
        "register_tile",
        "loads {0:.1f} words for each operation; a tile of 4 x 4 outputs in "
        "registers needs {1:.1f}",
        "The units that load words limit the kernel, not the arithmetic.",
        "Let each thread compute several outputs and keep their sums in local variables, so that a "
        "loaded value serves several of them.",
        "float sum = 0;\n"
        "for (int i = 0; i < depth; ++i)\n"
        "  sum += a[row][i] * b[i][column];  // two loads for each multiply-add",
        "float sum[4][4] = {}, left[4], top[4];\n"
        "for (int i = 0; i < depth; ++i) {\n"
        "  for (int r = 0; r < 4; ++r) left[r] = a[row + r][i];\n"
        "  for (int c = 0; c < 4; ++c) top[c] = b[i][column + c];\n"
        "  for (int r = 0; r < 4; ++r)\n"
        "    for (int c = 0; c < 4; ++c) sum[r][c] += left[r] * top[c];  // 8 loads for 16\n"
        "}",
        3},
    RuleExplanation{
        "fused_copy",
        "writes {0:.0f} bytes that only rearrange {1:.0f} bytes, for another kernel to read",
        "A copy in device memory costs its bytes twice.",
        "Let the second kernel gather its elements from the first array, tile by tile.",
        "unroll<<<grid, block>>>(matrix, x);  // writes each element of x up to K * K times\n"
        "multiply<<<grid, block>>>(y, k, matrix);",
        "// In the kernel that multiplies: row r and column c of the matrix that is never stored.\n"
        "const int channel = r / (K * K), p = r / K % K, q = r % K;\n"
        "const int h = c / W_out, w = c % W_out;\n"
        "tile[ty][tx] = x[(channel * H + h + p) * W + w + q];",
        4},
    RuleExplanation{
        "vector_loads", "loads {0:.0f} bytes of shared memory at a time; {1:.0f} are possible",
        "A load of 16 bytes is one instruction, and one pass where all lanes read the same.",
        "Store neighbours next to each other and read them as float4. Load the next tile while "
        "this one is used.",
        "for (int c = 0; c < 4; ++c)\n"
        "  top[c] = tile[i][4 * threadIdx.x + c];  // four loads of 4 bytes",
        "// tile is __shared__ __align__(16), and its rows have a multiple of 4 floats.\n"
        "const float4 top = *reinterpret_cast<const float4*>(&tile[i][4 * threadIdx.x]);",
        6},
    RuleExplanation{"needless_arithmetic",
                    "makes {0:.0f} multiply-adds, and the task needs {1:.0f}",
                    "Rows of a tile that belong to no output, zeros that fill up its depth, and "
                    "products that several warps repeat, cost as much as the others.",
                    "Fit the tile to the sizes, give each warp a product of its own, or leave the "
                    "matrix product and read the image in place.",
                    "constexpr int kDepth = 64;  // 49 rows of weights, and 15 of zeros\n"
                    "for (int i = 0; i < kDepth; ++i) sum += k_tile[ty][i] * x_tile[i][tx];",
                    "constexpr int kDepth = 49;  // K * K\n"
                    "for (int i = 0; i < kDepth; ++i) sum += k_tile[ty][i] * x_tile[i][tx];",
                    7},
    RuleExplanation{
        "idle_lanes", "{0:.1f} of {1:.0f} lanes of a warp are active",
        "A warp takes as long for a few lanes as for all.",
        "Choose blocks that fit the outputs, because a thread can load several elements "
        "of a larger tile; or give a block several images. Where some threads have much longer "
        "loops, let several threads share one.",
        "// 22 x 22 threads load a tile; 16 x 16 of them compute.\n"
        "tile[ty][tx] = x[(h + ty) * W + w + tx];\n"
        "__syncthreads();\n"
        "if (ty < 16 && tx < 16) y[(h + ty) * W_out + w + tx] = sum_at(tile, ty, tx);",
        "// 16 x 16 threads load the tile of 22 x 22 in turns, and all of them compute.\n"
        "for (int t = ty * 16 + tx; t < 22 * 22; t += 16 * 16)\n"
        "  tile[t / 22][t % 22] = x[(h + t / 22) * W + w + t % 22];\n"
        "__syncthreads();\n"
        "y[(h + ty) * W_out + w + tx] = sum_at(tile, ty, tx);",
        8},
    RuleExplanation{
        "uncoalesced", "a warp touches {0:.1f} sectors of 32 bytes where {1:.1f} hold its data",
        "Neighbouring threads use addresses that are far from each other.",
        "Let neighbouring threads, which threadIdx.x numbers unless blockDim.x is 1, "
        "use neighbouring elements: the last index of the array, in rows of 32 threads. If the "
        "index is read from an array, copy what is looked up into __shared__ memory.",
        "const int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "for (int column = 0; column < columns; ++column)\n"
        "  y[row * columns + column] = 2 * x[row * columns + column];",
        "const int column = blockIdx.x * blockDim.x + threadIdx.x;  // neighbours for neighbours\n"
        "for (int row = 0; row < rows; ++row)\n"
        "  y[row * columns + column] = 2 * x[row * columns + column];",
        0},
    RuleExplanation{
        "bank_conflicts", "a warp takes {0:.1f} passes where {1:.1f} would do",
        "Lanes use different words of one of the 32 banks of shared memory.",
        "Let the 32 lanes use neighbouring words of one row: threadIdx.x as the last index, blocks "
        "of 32 columns. In blocks of 16 columns a warp uses two rows, which do not conflict where "
        "a row is 16 words longer than a multiple of 32. Where lanes walk down a column, pad the "
        "rows to an odd length, or an array of one dimension by a word after each 32. Pad rows of "
        "a tensor core's operands by 8 halves or 4 floats.",
        "__shared__ float tile[32][32];\n"
        "tile[threadIdx.y][threadIdx.x] = x[from];\n"
        "__syncthreads();\n"
        "y[to] = tile[threadIdx.x][threadIdx.y];  // a column: 32 words of one bank",
        "__shared__ float tile[32][33];  // the next row begins in the next bank\n"
        "tile[threadIdx.y][threadIdx.x] = x[from];\n"
        "__syncthreads();\n"
        "y[to] = tile[threadIdx.x][threadIdx.y];",
        0},
    RuleExplanation{"constant_order", "a warp reads {0:.1f} different constants at a time",
                    "Constant memory delivers one word at a time to a warp.",
                    "Let all threads of a warp read the same element, or read the array from "
                    "global memory: into __shared__ memory, if it is used often.",
                    "const int m = threadIdx.x;  // each lane its own feature map\n"
                    "for (int q = 0; q < K; ++q) sum += x[i + q] * weights[m * K + q];",
                    "const int m = blockIdx.y;  // one feature map a block\n"
                    "for (int q = 0; q < K; ++q) sum += x[i + q] * weights[m * K + q];",
                    0},
    RuleExplanation{
        "crowded_atomics", "{0:.0f} lanes of a warp change one address at a time",
        "Atomic operations on one address happen one after another.",
        "Add up within the warp (__reduce_add_sync, __shfl_down_sync) or in __shared__ memory "
        "first.",
        "atomicAdd(total, value);  // 32 lanes in turn",
        "for (int offset = 16; offset > 0; offset /= 2)\n"
        "  value += __shfl_down_sync(0xffffffff, value, offset);\n"
        "if (threadIdx.x % 32 == 0) atomicAdd(total, value);",
        0},
    RuleExplanation{
        "double_arithmetic", "makes {0:.0f} operations in double precision",
        "Double precision takes twice the time on a data centre's GPU, and 32 or 64 times on "
        "others.",
        "Write 1.0f for 1.0, and sqrtf or expf for sqrt or exp.",
        "y[i] = 1.0 / (1.0 + exp(-x[i]));", "y[i] = 1.0f / (1.0f + expf(-x[i]));", 0},
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
  const ProfileAdvice& most = *std::ranges::max_element(advice, {}, &ProfileAdvice::saving);
  const RuleExplanation* const rule = find_rule(most.rule);
  if (rule == nullptr) return "";
  std::string text =
      fmt::format("advice: {}. {} Remedy: `opgrade explain {}`.", counted_words(*rule, most),
                  fmt::format(fmt::runtime(rule->saving), 100 * most.saving), most.rule);
  if (advice.size() > 1) text += fmt::format(" {} more: `opgrade profile`.", advice.size() - 1);
  return text;
}

std::optional<std::string> rule_text(std::string_view name, int width) {
  const RuleExplanation* const rule = find_rule(name);
  if (rule == nullptr) return std::nullopt;
  std::string text = fmt::format("{} (advice of `opgrade profile`)\n\n", name);
  text += wrap(rule->meaning, width, "  ", "  ");
  text += "\nRemedy\n" + wrap(rule->remedy, width, "  ", "  ");
  text += "\nBefore\n" + code_block(rule->before) + "\nAfter\n" + code_block(rule->after);
  if (rule->rung > 0)
    text += "\nExample\n" + wrap(fmt::format("Rung {} of the ladder has it, and the next rung "
                                             "takes this step: kernels/README.md.",
                                             rule->rung),
                                 width, "  ", "  ");
  return text;
}

}  // namespace opgrade::report
