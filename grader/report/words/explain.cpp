#include "grader/report/words/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grader/base/core/counts.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/report/words/advice_words.hpp"
#include "grader/report/words/case_facts.hpp"
#include "grader/report/words/explain_findings.hpp"
#include "grader/report/words/text_layout.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

constexpr std::array kExplanations{
    Explanation{
        Outcome::passed,
        "Every output element is within the tolerance. Where the case asks for an accuracy, "
        "the count of right images is exact too.",
        {"The code is right for these shapes and values.",
         "`opgrade check --only` ran only a part. The other stages must still pass.",
         "The emulated device gives no times. Points for Op Time need a GPU."},
        "cpu/high/100  passed  0.86  50/50"},
    Explanation{
        Outcome::wrong_output,
        "At least one output element is too far from the double-precision reference, is "
        "not finite, or was not written. The report names the first one.",
        {"A loop bound or an index is wrong.",
         "The code adds to an output without setting it first. Before each call the grader fills "
         "outputs with NaN, where the task does not say zeros.",
         "On a GPU: the grid does not cover all of the output, an index is computed wrongly from "
         "blockIdx and threadIdx, a __syncthreads() is missing, or the output is not copied back "
         "where the function has to do that."},
        "for (int i = 0; i < n - 1; ++i)  // wrong: the last element is left out\n"
        "for (int i = 0; i < n; ++i)      // right"},
    Explanation{
        Outcome::wrong_accuracy,
        "Each element is within the tolerance, but the number of correctly classified "
        "images differs from the required one.",
        {"A GPU stage allows a wide tolerance, and half or TF32 sums round too much for this "
         "batch.",
         "The code keeps state between calls, such as a buffer that is filled only once.",
         "The config asks for the accuracy of another model. Tell the staff."},
        "gpu/high/10000  wrong accuracy  0.8712 != 0.8714"},
    Explanation{
        Outcome::mistake_found,
        "The outputs are right here. The emulated device saw a mistake that a GPU refuses, or one "
        "that makes an output wrong when memory holds other bytes or threads run in another "
        "order. The report names its line. It costs the points of the case. With `findings: "
        "decide` in the config, as in `self-check`, any data race or access outside an array "
        "does.",
        {"A __syncthreads() is missing between writing and reading __shared__ memory, or "
         "before the next tile is loaded.",
         "A thread at the border reads or writes past the end: its `if (h < H_out && w < "
         "W_out)` is missing.",
         "The kernel got a host pointer, or a value that was never set."},
        "tile[ty][tx] = x[i];\n"
        "__syncthreads();  // without it, the next line reads values that are not written yet\n"
        "sum += tile[ty][tx + 1] * k[q];"},
    Explanation{Outcome::not_credible,
                "The outputs are right, but no call has a credible time. The case gets "
                "no points for speed.",
                {"conv_forward_gpu returns before its work is done, in a stream or a thread of its "
                 "own.",
                 "The prolog computes what the convolution call should compute.",
                 "The GPU was too hot, or another program used it. Grade again."},
                "conv_forward_kernel<<<grid, block, 0, stream>>>(...);\n"
                "cudaStreamSynchronize(stream);  // before conv_forward_gpu returns"},
    Explanation{Outcome::crashed,
                "The process ended by a signal such as SIGSEGV, by an uncaught exception, "
                "or by an error of the device.",
                {"An index is past the end of x, k or y, or an input is written.",
                 "A pointer is null because cudaMalloc, malloc or new failed.",
                 "A kernel was launched with too many threads or too much __shared__ memory."},
                "dim3 block(64, 64);  // wrong: 4096 threads, at most 1024 are allowed\n"
                "dim3 block(16, 16);  // right"},
    Explanation{Outcome::exited_early,
                "The process ended before the function returned, with any exit code.",
                {"An error check, such as the template's macro, called exit() because a CUDA call "
                 "failed. Its message is in the report. Keep the check, and fix that call.",
                 "A test of your own, which the function calls, ends with exit().",
                 "The code closes descriptors or ends processes that it did not open."},
                "if (error != cudaSuccess) exit(1);  // the error before it is the one to fix"},
    Explanation{Outcome::out_of_time,
                "The process was stopped at its limit of wall or CPU time.",
                {"A loop does not end: its counter is never changed, or is unsigned and compared "
                 "with >= 0.",
                 "A thread waits for another one that waits too, or for a lock that is held.",
                 "It does far more work than needed, such as the whole sum once more for each "
                 "thread."},
                "for (unsigned q = K - 1; q >= 0; --q)  // never ends: unsigned is always >= 0\n"
                "for (int q = K - 1; q >= 0; --q)       // ends"},
    Explanation{Outcome::out_of_memory,
                "The process reached its memory limit, or an allocation failed.",
                {"A call allocates and does not free: each call of the run takes some more.",
                 "A whole unrolled input for all images at once is K * K times as large as x.",
                 "A size is computed in int and overflows, or with sizeof twice."},
                "float *buffer = new float[n];\n"
                "...\n"
                "delete[] buffer;  // in the same call"},
    Explanation{Outcome::over_limit,
                "The process was stopped at a limit other than time and memory: threads and "
                "processes, printed bytes, or the size of files.",
                {"A thread is started for each image or row. Start one for each core.",
                 "printf is called in a loop or in a kernel.", "The code writes files."},
                "printf(\"%f\\n\", sum);  // once for each output element: gigabytes"},
    Explanation{Outcome::build_failed,
                "The compiler or the linker refused the code. Nothing of this stage was run.",
                {"The source has an error. Fix the first one: later ones often follow from it.",
                 "A function has another name or other parameters than the header of the template.",
                 "A file that is included or called was not handed in."},
                "void conv_forward_cpu(float *y, float *x, ...)  // wrong: const is missing at x"},
    Explanation{Outcome::refused,
                "The files were not taken, or the submission does what the config forbids. Nothing "
                "was run.",
                {"A file is missing, has another name, or is in another folder.",
                 "A file is a link, a folder, or too large.",
                 "A path in the archive leads out of the archive."},
                "my-conv/cpu_new_forward.cc  // wrong name\n"
                "my-conv/cpu-new-forward.cc  // right"},
    Explanation{
        Outcome::not_emulated,
        "The code uses a part of CUDA that the emulated device lacks. Only a GPU can decide: "
        "no points are lost and none are earned.",
        {"It includes cuDNN, cuRAND or another library of NVIDIA's.",
         "It uses textures, graphs, the driver API or inline PTX beyond the common part.",
         "It launches kernels from kernels."},
        "#include <curand_kernel.h>  // grade on a machine with a GPU"},
    Explanation{
        Outcome::not_run,
        "The case was not run, so its result is unknown. No points are lost.",
        {"This machine lacks the device that the stage needs.",
         "An earlier step failed: a smaller batch ran out of time.", "--only left the case out."},
        "GPU convolution - not run: no CUDA device on this machine"},
    Explanation{Outcome::grader_fault,
                "The grader or its machine failed. It says nothing about the submission and costs "
                "no points.",
                {"The disk is full, or a data set is missing.",
                 "The sandbox does not work on this machine.", "The GPU fails its control run."},
                "opgrade doctor  # says what to do; then grade again"},
};

/// The verdicts that are not outcomes. The member `outcome` of their explanations is not used.
struct VerdictExplanation {
  Standing standing;
  Explanation text;
};
constexpr std::array kVerdicts{
    VerdictExplanation{
        Standing::failed,
        {Outcome::not_run,
         "The submission has fewer points than the pass mark. A case is wrong, or even "
         "with all open points the submission cannot pass. Open points never make up for a wrong "
         "case.",
         {"A case is wrong, crashes or runs out of time. `Problems` in the report begins with it.",
          "A stage does not build, so none of its cases has points.",
          "All outputs are right, but the Op Time is too long for the points of speed."},
         "FAILED  40 of 100 points (60 to pass)"}},
    VerdictExplanation{
        Standing::undecided,
        {Outcome::not_run,
         "Nothing is wrong, and the open points can still reach the pass mark: a GPU or staff must "
         "decide.",
         {"Points for Op Time need a GPU, and this machine has none.",
          "The code uses a part of CUDA that the emulated device lacks.",
          "Staff give some of the points themselves."},
         "INCOMPLETE  20 of 40 points (30 to pass); 20 more are open"}},
};

static_assert(kExplanations.size() == kOutcomes.size());
static_assert([] {
  for (std::size_t i = 0; i < kExplanations.size(); ++i) {
    if (kExplanations[i].outcome != kOutcomes[i].outcome) return false;
  }
  return true;
}());

std::string plain(std::string_view name) {
  std::string out = lowercase(name);
  std::erase_if(out, [](unsigned char c) { return std::isalnum(c) == 0; });
  return out;
}

std::string body_of(const Explanation& e, int width) {
  std::string text = wrap(e.meaning, width, "  ", "  ");
  text += "\nUsual causes\n";
  for (const auto cause : e.causes) text += wrap(cause, width, "  - ", "    ");
  return text + "\nExample\n" + code_block(e.example);
}

std::string list_line(std::string_view name, std::string_view meaning, int width) {
  const auto stop = meaning.find(". ");
  const auto first = stop == meaning.npos ? meaning : meaning.substr(0, stop + 1);
  return wrap(first, width, fmt::format("  {:<15} ", name), std::string(18, ' '));
}

}  // namespace

const Explanation& explanation_of(Outcome outcome) {
  return kExplanations[static_cast<std::size_t>(outcome)];
}

std::optional<Outcome> find_outcome(std::string_view name) {
  for (const auto& entry : kOutcomes)
    if (plain(entry.id) == plain(name) || plain(entry.text) == plain(name)) return entry.outcome;
  return std::nullopt;
}

std::string explanation_text(Outcome outcome, int width) {
  std::string text = fmt::format("{} ({})\n\n", words(outcome).text, words(outcome).id);
  text += body_of(explanation_of(outcome), width);
  if (const auto next = default_next(outcome); !next.empty())
    text += "\nNext\n" + wrap(next, width, "  ", "  ");
  return text;
}

std::optional<std::string> explanation_text(std::string_view name, int width) {
  if (const auto outcome = find_outcome(name)) return explanation_text(*outcome, width);
  for (const auto& [standing, text] : kVerdicts)
    if (plain(title_of(standing)) == plain(name))
      return fmt::format("{} (a verdict)\n\n{}", title_of(standing), body_of(text, width));
  for (const auto& finding : finding_explanations())
    if (plain(finding.kind) == plain(name)) return finding_text(finding.kind, width);
  if (const CountName* const count = find_count(name))
    return fmt::format("{} (a count of `opgrade profile`)\n\n{}", name,
                       wrap(count->meaning, width, "  ", "  "));
  for (const auto& rule : rule_explanations())
    if (plain(rule.rule) == plain(name)) return rule_text(rule.rule, width);
  return std::nullopt;
}

std::vector<std::string> explained_names() {
  std::vector<std::string> names;
  for (const auto& entry : kOutcomes) names.emplace_back(entry.id);
  for (const auto& verdict : kVerdicts) names.push_back(lowercase(title_of(verdict.standing)));
  for (const auto& finding : finding_explanations())
    if (!find_outcome(finding.kind)) names.emplace_back(finding.kind);
  for (const auto& rule : rule_explanations()) names.emplace_back(rule.rule);
  return names;
}

std::string explanation_list(int width) {
  std::string text, kinds, rules;
  for (const auto& entry : kOutcomes)
    text += list_line(entry.id, explanation_of(entry.outcome).meaning, width);
  for (const auto& verdict : kVerdicts)
    text += list_line(lowercase(title_of(verdict.standing)), verdict.text.meaning, width);
  for (const auto& finding : finding_explanations())
    if (!find_outcome(finding.kind))
      kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", finding.kind);
  for (const auto& rule : rule_explanations())
    rules += fmt::format("{}{}", rules.empty() ? "" : ", ", rule.rule);
  return text + wrap(kinds, width, "  findings        ", std::string(18, ' ')) +
         wrap(rules, width, "  advice          ", std::string(18, ' '));
}

}  // namespace opgrade::report
