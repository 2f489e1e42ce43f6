// The sources that opgrade writes for a task: they compile, and a call through them reaches staff's
// and the student's functions with the right arguments.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grader/authoring/mutants.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/platform/harness/submission_abi.h"
#include "grader/task/folder/adapter_text.hpp"
#include "grader/task/folder/distribution.hpp"
#include "grader/task/folder/folder_problem.hpp"
#include "grader/task/folder/staff_text.hpp"
#include "grader/task/interface/buffer_memory.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Role = BufferDescription::Role;
using testing::HasSubstr;

BufferDescription buffer(const char* name, const char* type, Role role,
                         std::vector<std::string> extents) {
  const bool scalar = extents.empty();
  const ValueType value = find_value_type(type);
  return {.name = name,
          .type = value.type,
          .components = value.components,
          .role = role,
          .scalar = scalar,
          .extents = std::move(extents)};
}

/// Every type and way to pass a value.
TaskDescription everything() {
  TaskDescription task;
  task.name = "all";
  task.title = "All";
  task.function = parse_prototype(
      "int64_t all(const half* h, const int64_t* wide, uint64_t* sums, short& least, const float& "
      "a, unsigned short* small, half* scaled, size_t n)");
  task.sizes = {{.name = "n", .to = 100, .random = 10}, {.name = "kind", .to = 2, .random = 2}};
  task.buffers = {buffer("h", "half", Role::in, {"n"}),
                  buffer("wide", "int64_t", Role::in, {"n"}),
                  buffer("sums", "uint64_t", Role::out, {"pow2_ceil(min(n + 1, 2))"}),
                  buffer("least", "short", Role::out, {}),
                  buffer("a", "float", Role::in, {}),
                  buffer("small", "unsigned short", Role::inout, {"max(n, 3)"}),
                  buffer("scaled", "half", Role::out, {"n"}),
                  buffer("result", "int64_t", Role::out, {})};
  task.buffers[0].values = {"integers(-8, 8)", kGenerated};
  task.buffers[0].values_by = "kind";
  task.buffers[1].values = {"integers(-100, 100)"};
  task.buffers[4].values = {"constant(3)"};
  task.buffers[5].values = {"constant(7)"};
  task.buffers.back().error = BufferDescription::Error::program;
  task.validates = true;
  check(task);
  return task;
}

constexpr const char* kStudent = R"(
int64_t all(const half* h, const int64_t* wide, uint64_t* sums, short& least, const float& a,
            unsigned short* small, half* scaled, size_t n) {
  sums[0] = sums[1] = 0;
  least = 32767;
  for (size_t i = 0; i < n; ++i) {
    sums[0] += wide[i];
    if (wide[i] < least) least = wide[i];
    scaled[i] = a * float(h[i]);
  }
  sums[1] = -sums[0];
  for (size_t i = 0; i < (n > 3 ? n : 3); ++i) small[i] += 1;
  return n;
}
)";

constexpr const char* kStaff = R"(
#include <math.h>

void reference(const float* h, const long long* wide, long long* sums, long long* least, float a,
               const unsigned short* small, long long* small_after, double* scaled,
               double* scaled_scale, long long n, long long* result) {
  sums[0] = 0;
  *least = 32767;
  for (long long i = 0; i < n; ++i) {
    sums[0] += wide[i];
    if (wide[i] < *least) *least = wide[i];
    scaled[i] = a * h[i];
    scaled_scale[i] = fabs(scaled[i]) + 1;
  }
  sums[1] = -sums[0];
  for (long long i = 0; i < (n > 3 ? n : 3); ++i) small_after[i] = small[i] + 1;
  *result = 0;
}

void generate(unsigned long long seed, float* h, const long long*, float, const unsigned short*,
              long long n, long long kind) {
  for (long long i = 0; i < n; ++i) h[i] = seed != 0 && kind == 2 ? 0.5f + i : 0;
}

const char* validate(const float* h, const long long*, float a, const unsigned short*, long long n,
                     long long kind) {
  if (a != 3) return "a is not 3";
  return kind == 2 && h[n - 1] != 0.5f + (n - 1) ? "h is not what generate() made" : nullptr;
}

const char* check(const float*, const long long*, const unsigned long long*, const short* least,
                  float, const unsigned short* small, const unsigned short* small_after,
                  const float*, long long n, const long long* result) {
  if (small_after[0] != small[0] + 1 || *least > 100) return "other outputs";
  return *result == n ? nullptr : "the result is not n";
}
)";

/// A shared object of an adapter and the code behind it.
class Library {
 public:
  Library(const std::string& header_name, const std::string& header, const std::string& adapter,
          const std::string& code, const std::string& flags = "", const std::string& types = "") {
    const fs::path folder = place_.path();
    fs::create_directories(folder / "adapters/all");
    for (const char* file : {"submission_abi.h", "adapters/png_file.h"})
      fs::copy(fs::path(OPGRADE_SOURCE_DIR "/grader/platform/harness") / file, folder / "adapters");
    write(folder / "adapters/all" / header_name, header);
    if (!types.empty()) write(folder / "adapters/all/types.h", types);
    write(folder / "adapters/all/cpu.cpp", adapter);
    write(folder / "adapters/all/code.cpp", code);
    const auto command = fmt::format(
        "cd {0}/adapters/all && g++ -std=c++17 -Wall -Wextra -Werror "
        "-Wno-missing-field-initializers "
        "-fPIC -shared -Wl,-Bsymbolic -Wl,-z,defs -I. -include {1} {2} cpu.cpp code.cpp -o lib.so",
        folder.string(), header_name, flags);
    if (std::system(command.c_str()) != 0) throw std::runtime_error(header + adapter);
    handle_ = dlopen((folder / "adapters/all/lib.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    using Get = const opgrade_submission* (*)();
    table_ = reinterpret_cast<Get>(dlsym(handle_, "opgrade_get_submission"))();
  }
  ~Library() { dlclose(handle_); }

  const opgrade_submission& table() const { return *table_; }

 private:
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

  TempDir place_{"opgrade-adapter-test-"};
  void* handle_ = nullptr;
  const opgrade_submission* table_ = nullptr;
};

/// Staff's code in this process.
class InProcess final : public ReferenceCode {
 public:
  InProcess(const TaskDescription& task, const std::string& code, const std::string& flags = "")
      : library_("reference.h", reference_header(task), reference_adapter(task), code, flags,
                 task.types.empty() ? "" : types_header(task)) {}

  StaffOutput run(Step step, const Coordinates& sizes, StaffInputs inputs,
                  std::size_t bytes) override {
    const auto out = std::make_shared<BufferMemory>(
        BufferSize{static_cast<std::int64_t>(bytes), ElementType::Id::u8});
    opgrade_call call{};
    call.buffer[0] = reinterpret_cast<float*>(out->values().bytes().data());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      call.buffer[i + 1] = reinterpret_cast<float*>(const_cast<std::byte*>(inputs[i].data()));
    for (std::size_t i = 0; i < sizes.size(); ++i) call.size[i] = static_cast<int>(sizes[i].value);
    call.size[sizes.size()] = static_cast<int>(step);
    library_.table().forward(&call);
    return {out->values().bytes(), out};
  }

 private:
  Library library_;
};

struct GeneratedText : testing::Test {
  static void SetUpTestSuite() {
    task = std::make_unique<TaskDescription>(everything());
    staff = std::make_shared<InProcess>(*task, kStaff);
    student = std::make_unique<Library>("all.h", student_header(*task),
                                        student_adapter(*task, Device::cpu), kStudent);
  }
  static void TearDownTestSuite() {
    student.reset();
    staff.reset();
    task.reset();
  }
  static std::unique_ptr<TaskDescription> task;
  static std::shared_ptr<InProcess> staff;
  static std::unique_ptr<Library> student;
};
std::unique_ptr<TaskDescription> GeneratedText::task;
std::shared_ptr<InProcess> GeneratedText::staff;
std::unique_ptr<Library> GeneratedText::student;

CheckReport call_of(const FolderProblem& problem, const Library& student, const Coordinates& sizes,
                    bool call_it = true, Hint* hint = nullptr) {
  std::vector<BufferMemory> memory = memory_of(problem);
  const Values values = values_of(memory);
  std::mt19937_64 random(5);
  problem.fill(values, random);
  opgrade_call call{};
  for (std::size_t i = 0; i < memory.size(); ++i)
    call.buffer[i] = reinterpret_cast<float*>(values[i].bytes().data());
  for (std::size_t i = 0; i < sizes.size(); ++i) call.size[i] = static_cast<int>(sizes[i].value);
  problem.set_output(values, false, 1);
  if (call_it) student.table().forward(&call);
  const auto report = problem.check(values, 1e-3, {}, 1);
  if (hint != nullptr) *hint = problem.explain(values, report);
  return report;
}

TEST_F(GeneratedText, ACallReachesBothFunctions) {
  for (const int n : {1, 2, 17, 100})
    for (const int kind : {1, 2}) {
      const Coordinates sizes{{"n", n}, {"kind", kind}};
      const FolderProblem problem(*task, sizes, staff);
      const auto report = call_of(problem, *student, sizes);
      EXPECT_TRUE(report.passed())
          << n << " " << kind << ": " << report.hint << " at " << text_of(report.place) << ", got "
          << report.got << " for " << report.want;
      EXPECT_FALSE(call_of(problem, *student, sizes, false).passed());
    }
}

TEST_F(GeneratedText, CheckDecidesWhatItIsAskedFor) {
  std::string other = kStudent;
  other.replace(other.find("return n"), 8, "return 5");
  const Library wrong("all.h", student_header(*task), student_adapter(*task, Device::cpu), other);
  const Coordinates sizes{{"n", 6}, {"kind", 1}};
  const auto report = call_of(FolderProblem(*task, sizes, staff), wrong, sizes);
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.hint, "the result is not n");
  EXPECT_LT(report.first, 0) << "no single element is wrong";
}

TEST_F(GeneratedText, ValidateRefusesInputs) {
  TaskDescription other = *task;
  other.buffers[4].values = {"constant(4)"};
  const Coordinates sizes{{"n", 6}, {"kind", 1}};
  try {
    call_of(FolderProblem(other, sizes, staff), *student, sizes);
    ADD_FAILURE();
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("validate.cpp refuses the inputs at n=6 kind=1: a is not 3"));
  }
}

TEST_F(GeneratedText, GuessesCompileAndAreWrong) {
  const Coordinates sizes{{"n", 20}, {"kind", 2}};
  const FolderProblem problem(*task, sizes, staff);
  const auto guesses = guesses_at(*task, Device::cpu);
  std::vector<std::string> names;
  for (const auto& guess : guesses) names.push_back(guess.what);
  EXPECT_THAT(names, testing::ElementsAre("writes nothing", "writes zeros", "writes ones",
                                          "copies h", "copies wide"));
  for (const auto& guess : {guesses[1], guesses[3]}) {
    std::string text = guess.text;
    for (std::size_t at = 0; (at = text.find("unused", at)) != text.npos;) ++at;
    const Library library("all.h", student_header(*task), student_adapter(*task, Device::cpu),
                          "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n" + text);
    EXPECT_FALSE(call_of(problem, library, sizes).passed()) << guess.what;
  }
}

/// Vector types and bool, passed in each way.
TaskDescription vectors() {
  TaskDescription task;
  task.name = "all";
  task.title = "All";
  task.function = parse_prototype(
      "float2 all(const uchar4* image, const bool* mask, const float3& tint, int2 by, double2* "
      "sum, "
      "uchar4* out, bool* other, short4& last, int n)");
  task.sizes = {{.name = "n", .to = 100, .random = 10}};
  task.buffers = {
      buffer("image", "uchar4", Role::in, {"n"}), buffer("mask", "bool", Role::in, {"n"}),
      buffer("tint", "float3", Role::in, {}),     buffer("by", "int2", Role::in, {}),
      buffer("sum", "double2", Role::out, {"1"}), buffer("out", "uchar4", Role::inout, {"n"}),
      buffer("other", "bool", Role::out, {"n"}),  buffer("last", "short4", Role::out, {}),
      buffer("result", "float2", Role::out, {})};
  task.buffers[2].values = {"integers(1, 9)"};
  check(task);
  return task;
}

constexpr const char* kVectorStudent = R"(
static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4, "as CUDA's");
static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "as CUDA's");
static_assert(sizeof(int2) == 8 && alignof(int2) == 8, "as CUDA's");
static_assert(sizeof(double2) == 16 && alignof(double2) == 16, "as CUDA's");
static_assert(sizeof(short4) == 8 && alignof(short4) == 8, "as CUDA's");

float2 all(const uchar4* image, const bool* mask, const float3& tint, int2 by, double2* sum, uchar4* out,
           bool* other, short4& last, int n) {
  sum[0] = make_double2(0, 0);
  for (int i = 0; i < n; ++i) {
    sum[0].x += image[i].x * tint.y;
    sum[0].y += image[i].w + by.y;
    if (mask[i]) out[i] = make_uchar4(image[i].w, image[i].z, image[i].y, image[i].x);
    other[i] = !mask[i];
  }
  last = make_short4(1, -2, 3, static_cast<short>(n));
  return make_float2(static_cast<float>(by.x), tint.z);
}
)";

constexpr const char* kVectorStaff = R"(
void reference(const unsigned char* image, const bool* mask, const float* tint, const int* by, double* sum,
               double*, const unsigned char* out, long long* out_after, long long* other, long long* last,
               long long n, double* result, double*) {
  sum[0] = sum[1] = 0;
  for (long long i = 0; i < n; ++i) {
    sum[0] += image[4 * i] * tint[1];
    sum[1] += image[4 * i + 3] + by[1];
    for (int c = 0; c < 4; ++c) out_after[4 * i + c] = mask[i] ? image[4 * i + 3 - c] : out[4 * i + c];
    other[i] = mask[i] ? 0 : 1;
  }
  last[0] = 1, last[1] = -2, last[2] = 3, last[3] = n;
  result[0] = by[0], result[1] = tint[2];
}
)";

TEST(GeneratedVectors, ACallReachesBothFunctions) {
  const TaskDescription task = vectors();
  const auto staff = std::make_shared<InProcess>(task, kVectorStaff);
  const std::string header = student_header(task), adapter = student_adapter(task, Device::cpu);
  const Library student("all.h", header, adapter, kVectorStudent);
  for (const int n : {1, 2, 17, 100}) {
    const FolderProblem problem(task, {{"n", n}}, staff);
    const auto report = call_of(problem, student, {{"n", n}});
    EXPECT_TRUE(report.passed()) << n << " at " << text_of(report.place) << ", got " << report.got
                                 << " for " << report.want;
    EXPECT_EQ(report.checked, 2 + 4 * n + n + 4 + 2) << "each component is checked";
  }
  const FolderProblem problem(task, {{"n", 17}}, staff);
  for (const auto& [from, to, place] :
       std::initializer_list<std::tuple<std::string, const char*, const char*>>{
           {"image[i].w + by.y", "image[i].w + by.x", "i=0 component=1"},
           {"other[i] = !mask[i];", "other[i] = !mask[i];\n    if (i == 3) out[i].z += 1;",
            "i=3 component=2"},
           {"other[i] = !mask[i];", "other[i] = i == 5 ? mask[i] : !mask[i];", "i=5"},
           {"(1, -2, 3,", "(1, -2, 4,", "component=2"},
           {", tint.z);", ", tint.x + 10);", "component=1"},
       }) {
    std::string wrong = kVectorStudent;
    wrong.replace(wrong.find(from), from.size(), to);
    const auto report = call_of(problem, Library("all.h", header, adapter, wrong), {{"n", 17}});
    EXPECT_EQ(report.mismatches, 1) << to;
    EXPECT_EQ(text_of(report.place), place) << to;
  }
}

constexpr const char* kBodies = R"(
struct Vec { double x, y; };
typedef struct {
  char kind;
  float mass;      /* behind three bytes of padding */
  Vec at, speed;
  uchar4 colour;
  short tag[3];
  bool fixed;
} body_t;
)";

BufferDescription struct_buffer(const char* name, const char* type, Role role,
                                std::vector<std::string> extents) {
  const auto record = StructTypes(kBodies).find(type);
  const bool scalar = extents.empty();
  return {.name = name,
          .type = record->fields.front().type,
          .components = static_cast<int>(record->fields.size()),
          .record = record,
          .role = role,
          .scalar = scalar,
          .extents = std::move(extents)};
}

/// Structs, passed in each way.
TaskDescription bodies() {
  TaskDescription task;
  task.name = "all";
  task.title = "All";
  task.types = kBodies;
  task.function = parse_prototype(
      "Vec all(const body_t* from, body_t* to, const Vec& by, Vec gravity, body_t& first, Vec* "
      "mean, int n)",
      StructTypes(kBodies));
  task.sizes = {{.name = "n", .to = 100, .random = 10}};
  task.buffers = {struct_buffer("from", "body_t", Role::in, {"n"}),
                  struct_buffer("to", "body_t", Role::inout, {"n"}),
                  struct_buffer("by", "Vec", Role::in, {}),
                  struct_buffer("gravity", "Vec", Role::in, {}),
                  struct_buffer("first", "body_t", Role::out, {}),
                  struct_buffer("mean", "Vec", Role::out, {"1"}),
                  struct_buffer("result", "Vec", Role::out, {})};
  check(task);
  return task;
}

constexpr const char* kStructStudent = R"(
#include <string.h>

Vec all(const body_t* from, body_t* to, const Vec& by, Vec gravity, body_t& first, Vec* mean, int n) {
  mean->x = mean->y = 0;
  for (int i = 0; i < n; ++i) {
    body_t one;
    memset(&one, i, sizeof one); /* padding that differs from the reference's */
    one.kind = to[i].kind;
    one.mass = from[i].mass + 1;
    one.at.x = from[i].at.x + by.x;
    one.at.y = from[i].at.y + by.y;
    one.speed.x = from[i].speed.x + gravity.x;
    one.speed.y = from[i].speed.y + gravity.y;
    one.colour = make_uchar4(from[i].colour.w, 1, 2, 3);
    one.tag[0] = one.tag[1] = one.tag[2] = from[i].tag[2];
    one.fixed = !from[i].fixed;
    to[i] = one;
    mean->x += from[i].at.x / n;
    mean->y += from[i].at.y / n;
  }
  first = from[0];
  return {by.x, gravity.y};
}
)";

constexpr const char* kStructStaff = R"(
void reference(const body_t* from, const body_t* to, body_t* to_after, Vec by, Vec gravity, body_t* first,
               Vec* mean, long long n, Vec* result) {
  *mean = Vec{0, 0};
  for (long long i = 0; i < n; ++i) {
    to_after[i] = from[i];
    to_after[i].kind = to[i].kind;
    to_after[i].mass += 1;
    to_after[i].at.x += by.x;
    to_after[i].at.y += by.y;
    to_after[i].speed.x += gravity.x;
    to_after[i].speed.y += gravity.y;
    to_after[i].colour = make_uchar4(from[i].colour.w, 1, 2, 3);
    for (short& tag : to_after[i].tag) tag = from[i].tag[2];
    to_after[i].fixed = !from[i].fixed;
    mean->x += from[i].at.x / n;
    mean->y += from[i].at.y / n;
  }
  *first = from[0];
  *result = Vec{by.x, gravity.y};
}
)";

TEST(GeneratedStructs, ACallReachesBothFunctions) {
  const TaskDescription task = bodies();
  const auto staff = std::make_shared<InProcess>(task, kStructStaff);
  const std::string header = student_header(task), adapter = student_adapter(task, Device::cpu);
  const Library student("all.h", header, adapter, kStructStudent, "", types_header(task));
  for (const int n : {1, 2, 17, 100}) {
    const FolderProblem problem(task, {{"n", n}}, staff);
    const auto report = call_of(problem, student, {{"n", n}});
    EXPECT_TRUE(report.passed()) << n << " at " << text_of(report.place) << ", got " << report.got
                                 << " for " << report.want;
    EXPECT_EQ(report.checked, 14 * n + 14 + 2 + 2) << "each field is checked";
    EXPECT_FALSE(call_of(problem, student, {{"n", n}}, false).passed());
    EXPECT_EQ(problem.try_reference(nullptr).wrong, "") << "padding is nobody's";
  }
  const FolderProblem problem(task, {{"n", 17}}, staff);
  for (const auto& [from, to, place] :
       std::initializer_list<std::tuple<std::string, const char*, const char*>>{
           {"to[i] = one;", "to[i] = one;\n    if (i == 3) to[i].kind ^= 1;", "i=3 component=0"},
           {"to[i] = one;", "to[i] = one;\n    if (i == 4) to[i].speed.y = 100;",
            "i=4 component=5"},
           {"to[i] = one;", "to[i] = one;\n    if (i == 5) to[i].colour.z = 9;", "i=5 component=8"},
           {"to[i] = one;", "to[i] = one;\n    if (i == 6) to[i].tag[1] ^= 64;",
            "i=6 component=11"},
           {"to[i] = one;", "to[i] = one;\n    if (i == 16) to[i].fixed = from[i].fixed;",
            "i=16 component=13"},
           {"first = from[0];", "first = from[0];\n  first.mass = -5;", "component=1"},
           {"by.x, gravity.y}", "by.x, gravity.y + 5}", "component=1"},
       }) {
    std::string wrong = kStructStudent;
    wrong.replace(wrong.find(from), from.size(), to);
    const auto report = call_of(
        problem, Library("all.h", header, adapter, wrong, "", types_header(task)), {{"n", 17}});
    EXPECT_EQ(report.mismatches, 1) << to;
    EXPECT_EQ(text_of(report.place), place) << to;
  }
}

TEST(GeneratedStructs, AReportNamesTheField) {
  const TaskDescription task = bodies();
  const auto staff = std::make_shared<InProcess>(task, kStructStaff);
  const FolderProblem problem(task, {{"n", 30}}, staff);
  for (const auto& [more, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"if (i == 3) to[i].at.y = 100;", "only to[3].at.y is wrong"},
           {"to[i].tag[1] = 300;", "every element of to.tag[1] is 300"},
           {"to[i].speed.x += 2;", "every element of to.speed.x is too large by 2"},
       }) {
    std::string wrong = kStructStudent;
    wrong.replace(wrong.find("to[i] = one;"), 12, std::string("to[i] = one;\n    ") + more);
    Hint hint;
    call_of(problem,
            Library("all.h", student_header(task), student_adapter(task, Device::cpu), wrong, "",
                    types_header(task)),
            {{"n", 30}}, true, &hint);
    EXPECT_THAT(hint.text, testing::StartsWith(text));
  }
}

TEST(GeneratedStructs, WrongFieldsCountTogether) {
  TaskDescription task = bodies();
  const auto staff = std::make_shared<InProcess>(task, kStructStaff);
  std::string wrong = kStructStudent;
  wrong.replace(wrong.find("to[i] = one;"), 12,
                "to[i] = one;\n    if (i < 2) to[i].at.x = to[i].mass = 100;");
  const Library student("all.h", student_header(task), student_adapter(task, Device::cpu), wrong,
                        "", types_header(task));
  const auto mismatches = [&](const char* allowed) {
    task.buffers[1].mismatches = allowed;
    const FolderProblem problem(task, {{"n", 30}}, staff);
    return call_of(problem, student, {{"n", 30}}).mismatches;
  };
  EXPECT_EQ(mismatches("0"), 4);
  EXPECT_EQ(mismatches("3"), 4);
  EXPECT_EQ(mismatches("4"), 0);
}

TEST(GeneratedStructs, ATrialOfTheReferenceKnowsTheField) {
  const TaskDescription task = bodies();
  const auto trial = [&](const std::string& from, const std::string& to) {
    std::string code = kStructStaff;
    code.replace(code.find(from), from.size(), to);
    const auto plain = std::make_shared<InProcess>(task, code);
    InProcess poisoned(task, code, fmt::format("-D{}={}", kOutputFill, kTrialFill));
    return FolderProblem(task, {{"n", 9}}, plain).try_reference(&poisoned).wrong;
  };
  EXPECT_EQ(trial("*result", "*result"), "");
  EXPECT_EQ(
      trial("to_after[i] = from[i];",
            "static char calls;\n    __builtin_memset(&to_after[i], ++calls, sizeof(body_t));\n"
            "    to_after[i].mass = from[i].mass, to_after[i].at = from[i].at;\n"
            "    to_after[i].speed = from[i].speed;"),
      "")
      << "padding is nobody's";
  EXPECT_EQ(trial("*mean = Vec{0, 0};\n", "mean->x = 0;\n"),
            "mean.y[0] depends on memory that nothing has set");
  EXPECT_EQ(trial("*first = from[0];", "first->mass = from[0].mass;"),
            "nothing of first.kind is written");
}

TEST(GeneratedStructs, GuessesCompileAndAreWrong) {
  const TaskDescription task = bodies();
  const auto staff = std::make_shared<InProcess>(task, kStructStaff);
  const FolderProblem problem(task, {{"n", 20}}, staff);
  const auto guesses = guesses_at(task, Device::cpu);
  EXPECT_EQ(guesses.size(), 4U);
  for (const auto& guess : {guesses.front(), guesses.back()}) {
    const Library library("all.h", student_header(task), student_adapter(task, Device::cpu),
                          "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n" + guess.text,
                          "", types_header(task));
    EXPECT_FALSE(call_of(problem, library, {{"n", 20}}).passed()) << guess.what;
  }
}

/// Prefix sums by two functions of a namespace that staff's code calls.
TaskDescription called() {
  TaskDescription task;
  task.name = "all";
  task.title = "All";
  task.types =
      "namespace sums {\nclass Adder;\nint room(int n);\nvoid run(const int* x, long long* y, "
      "int n, int* room);\n}\n";
  task.callers = {
      {"call.cpp",
       "#include <vector>\n#define forward broken\nvoid all(const int* x, long long* y, int n) "
       "{\n  std::vector<int> room(sums::room(n));\n  sums::run(x, y, n, room.data());\n}\n"}};
  task.function = parse_prototype("void all(const int* x, long long* y, int n)");
  task.sizes = {{.name = "n", .to = 100, .random = 10}};
  task.buffers = {buffer("x", "int", Role::in, {"n"}), buffer("y", "long long", Role::out, {"n"})};
  check(task);
  return task;
}

constexpr const char* kCalledStudent = R"(
#include "types.h"

int sums::room(int) { return 1; }
void sums::run(const int* x, long long* y, int n, int* room) {
  *room = 0;
  for (int i = 0; i < n; ++i) y[i] = *room += x[i];
}
)";

constexpr const char* kCalledStaff = R"(
void reference(const int* x, long long* y, long long n) {
  long long sum = 0;
  for (long long i = 0; i < n; ++i) y[i] = sum += x[i];
}
)";

CheckReport call_by_staff(const std::string& student) {
  const TaskDescription task = called();
  const FolderProblem problem(task, {{"n", 17}}, std::make_shared<InProcess>(task, kCalledStaff));
  const Library library("all.h", student_header(task), student_adapter(task, Device::cpu), student,
                        "-Wno-unused-parameter", types_header(task));
  return call_of(problem, library, {{"n", 17}});
}

TEST(GeneratedCaller, CallsWhatStudentsWrite) {
  EXPECT_TRUE(call_by_staff(kCalledStudent).passed());
  std::string wrong = kCalledStudent;
  wrong.replace(wrong.find("+= x[i]"), 7, "+= 2 * x[i]");
  EXPECT_FALSE(call_by_staff(wrong).passed());
}

TEST(GeneratedCaller, NoFunctionOfASubmissionTakesItsPlace) {
  std::string own = kCalledStudent;
  own.replace(own.find("y[i] = *room"), 12, "*room");
  // It would be right, and fails because staff's runs.
  const std::string body =
      " void all(const int* x, long long* y, int n) {\n"
      "  long long sum = 0;\n  for (int i = 0; i < n; ++i) y[i] = sum += x[i];\n}\n";
  for (const char* const before : {"", "extern \"C\"", "__attribute__((weak))"})
    EXPECT_FALSE(call_by_staff(own + before + body).passed()) << before;
  EXPECT_TRUE(call_by_staff(kCalledStudent + body).passed()) << "a name that students may use";
}

TEST(GeneratedNamespace, TheFunctionHasCppLinkageThere) {
  TaskDescription task = called();
  task.callers.clear();
  task.types.clear();
  task.function = parse_prototype("void by::sums::all(const int* x, long long* y, int n)");
  EXPECT_EQ(task.function.space, "by::sums");
  const FolderProblem problem(task, {{"n", 17}}, std::make_shared<InProcess>(task, kCalledStaff));
  const std::string body =
      "(const int* x, long long* y, int n) {\n  long long sum = 0;\n"
      "  for (int i = 0; i < n; ++i) y[i] = sum += x[i];\n}\n";
  for (const auto& source :
       {"void by::sums::all" + body, "namespace by::sums {\nvoid all" + body + "}",
        "namespace by { namespace sums {\nvoid all" + body + "} }"}) {
    const Library library("all.h", student_header(task), student_adapter(task, Device::cpu),
                          source);
    EXPECT_TRUE(call_of(problem, library, {{"n", 17}}).passed()) << source;
  }
  for (const auto& guess : guesses_at(task, Device::cpu)) {
    const Library library("all.h", student_header(task), student_adapter(task, Device::cpu),
                          "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n" + guess.text);
    EXPECT_FALSE(call_of(problem, library, {{"n", 17}}).passed()) << guess.what;
  }
}

TEST(GeneratedVectors, GuessesCompileAndAreWrong) {
  const TaskDescription task = vectors();
  const auto staff = std::make_shared<InProcess>(task, kVectorStaff);
  const FolderProblem problem(task, {{"n", 20}}, staff);
  for (const auto& guess : guesses_at(task, Device::cpu)) {
    const Library library("all.h", student_header(task), student_adapter(task, Device::cpu),
                          "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n" + guess.text);
    EXPECT_FALSE(call_of(problem, library, {{"n", 20}}).passed()) << guess.what;
  }
}

/// Outputs of each kind: an array, whole numbers of which `count` are defined, a returned value.
TaskDescription of_trial() {
  TaskDescription task;
  task.name = "all";
  task.title = "All";
  task.function =
      parse_prototype("double all(const float* x, float* y, int* kept, int* count, int n)");
  task.sizes = {{.name = "n", .to = 100, .random = 10}};
  task.buffers = {buffer("x", "float", Role::in, {"n"}), buffer("y", "float", Role::out, {"n"}),
                  buffer("kept", "int", Role::out, {"n"}), buffer("count", "int", Role::out, {"1"}),
                  buffer("result", "double", Role::out, {})};
  task.buffers[0].values = {"uniform(1, 2)"};
  task.buffers[2].defined = "count";
  check(task);
  return task;
}

/// reference() that does all, with `from` replaced.
ReferenceTrial trial_of(const std::string& from = "", const std::string& to = "",
                        const TaskDescription& task = of_trial()) {
  std::string code = R"(#include <math.h>
#include <stdlib.h>
void reference(const float* x, double* y, double* y_scale, long long* kept, long long* count,
               long long n, double* result, double* result_scale) {
  double total = 0;
  *count = 0;
  for (long long i = 0; i < n; ++i) {
    y[i] = 0;
    y_scale[i] = 0;
    y[i] += x[i];
    y_scale[i] += fabs(x[i]);
    total += x[i];
    if (x[i] > 1.5) kept[(*count)++] = i;
  }
  *result = total;
  (void)result_scale;
}
)";
  if (!from.empty()) code.replace(code.find(from), from.size(), to);
  const std::string warnings = "-Wno-uninitialized -Wno-maybe-uninitialized -Wno-unused ";
  const auto plain = std::make_shared<InProcess>(task, code, "-O1 " + warnings);
  InProcess poisoned(task, code,
                     fmt::format("-O1 {}-ftrivial-auto-var-init=pattern -D{}={}", warnings,
                                 kOutputFill, kTrialFill));
  return FolderProblem(task, {{"n", 37}}, plain).try_reference(&poisoned);
}

TEST(ReferenceTrial, ARightReferenceWritesAllThatIsDefined) {
  for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", ""},
           {"(void)result_scale;", "*result_scale = 3;"},
           {"y[i] = 0;\n", "double* const at = y + i;\n    *at = 0;\n"},
           {"double total = 0;",
            "double total = 0;\n  double* const all = (double*)calloc(n, 8);\n"
            "  free(all);"},
       }) {
    const auto trial = trial_of(from, to);
    EXPECT_EQ(trial.wrong, "") << to;
    EXPECT_EQ(trial.note, "") << to;
  }
}

TEST(ReferenceTrial, NamesWhatIsNotWritten) {
  for (const auto& [from, to, wrong] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"double total = 0;", "return;\n  double total = 0;", "nothing of y is written"},
           {"i < n;", "i + 1 < n;", "1 of 37 elements of y are not written, the first is y[36]"},
           {"++i)", "i += 2)", "18 of 37 elements of y are not written, the first is y[1]"},
           {"*result = total;", "", "nothing of result is written"},
           {"*count = 0;", "long long at = 0;\n  count = &at;", "nothing of count is written"},
           {"kept[(*count)++] = i", "++*count", "nothing of kept is written"},
       })
    EXPECT_EQ(trial_of(from, to).wrong, wrong) << to;
}

TEST(ReferenceTrial, NamesWhatDependsOnUnsetMemory) {
  for (const auto& [from, to, wrong] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"y[i] = 0;", "", "y[0] depends on memory that nothing has set"},
           {"y_scale[i] = 0;", "", "the scale of y[0] depends on what it held before the call"},
           {"*result = total;", "*result += total;", "result depends on memory"},
           {"y[i] += x[i];", "y[i] += x[i] + *result;", "y[0] depends on memory"},
           {"y[i] += x[i];", "y[i] += x[i] + kept[n - 1 - i];", "y[0] depends on memory"},
       }) {
    const auto trial = trial_of(from, to);
    EXPECT_THAT(trial.wrong, HasSubstr(wrong)) << to;
    EXPECT_NE(trial.advice, "");
  }
  // What it holds may be other in the second call, too.
  EXPECT_NE(trial_of("double total = 0;", "double total;").wrong, "");
  EXPECT_EQ(trial_of("double total = 0;", "static double total;").wrong,
            "two calls with the same inputs give other outputs");
}

TEST(ReferenceTrial, NamesNaNThatNoInputHas) {
  EXPECT_EQ(trial_of("y[i] += x[i];", "y[i] += sqrt(-x[i]);").wrong,
            "all of y is NaN, and no input is");
  EXPECT_EQ(trial_of("*result = total;", "*result = log(-total);").wrong,
            "all of result is NaN, and no input is");
  const auto some = trial_of("y[i] += x[i];", "y[i] += i == 5 ? NAN : x[i];");
  EXPECT_EQ(some.wrong, "");
  EXPECT_EQ(some.note, "1 of 37 elements of y are NaN, and no input is");
}

TEST(Guesses, LeaveOutWhatTheFunctionCannotCount) {
  TaskDescription task;
  task.name = "all";
  task.function = parse_prototype("void f(const float* x, float* y, float* z, int n)");
  task.sizes = {{.name = "n", .to = 100, .random = 10}, {.name = "m", .to = 100, .random = 10}};
  task.buffers = {buffer("x", "float", Role::in, {"m"}), buffer("y", "float", Role::out, {"m"}),
                  buffer("z", "float", Role::out, {"n"})};
  for (const auto& guess : guesses_at(task, Device::cpu)) {
    EXPECT_THAT(guess.text, testing::Not(HasSubstr("(m)"))) << guess.what;
    EXPECT_EQ(guess.text.find("(z), ") != std::string::npos, guess.what != "writes nothing");
  }
}

/// Makes a call of a program as the harness does: in a process and a folder of its own. The output
/// is in memory that both share.
void run_program(const Library& library, opgrade_call call, std::size_t bytes) {
  void* const shared =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  float* const output = std::exchange(call.buffer[0], static_cast<float*>(shared));
  std::memcpy(shared, output, bytes);
  const TempDir folder("opgrade-program-test-");
  const pid_t process = ::fork();
  if (process == 0) {
    static opgrade_call* made;
    static const opgrade_submission* table;
    made = &call;
    table = &library.table();
    call.over = [](int status) {
      table->collect(made, status);
      std::fflush(nullptr);
      ::_exit(0);
    };
    ::on_exit([](int status, void*) { made->over(status); }, nullptr);
    if (::chdir(folder.path().c_str()) == 0) table->forward(&call);
    std::abort();
  }
  int end = -1;
  EXPECT_EQ(::waitpid(process, &end, 0), process);
  EXPECT_EQ(end, 0);
  std::memcpy(output, shared, bytes);
  ::munmap(shared, bytes);
}

/// y = 2 x as a program with files.
TaskDescription program() {
  TaskDescription task;
  task.name = "all";
  task.function = parse_prototype("void twice(const float* x, const unsigned* m, float* y, int n)");
  task.program = "-e expected.raw -i x.raw,m.raw -o y.raw -t vector";
  task.sizes = {{.name = "n", .to = 100, .random = 10}};
  task.buffers = {buffer("x", "float", Role::in, {"n"}),
                  buffer("m", "unsigned", Role::in, {"2", "n"}),
                  buffer("y", "float", Role::out, {"n"})};
  check(task);
  return task;
}

TEST(Program, ReadsAndWritesItsFiles) {
  const auto task = program();
  const auto of_main = [&](const std::string& body) {
    return std::make_unique<Library>(
        "all.h",
        student_header(task) + "#include \"" OPGRADE_SOURCE_DIR
                               "/grader/platform/harness/adapters/wb.h\"\n",
        student_adapter(task, Device::cpu),
        "int main(int argc, char** argv) {\n"
        "  wbArg_t args = wbArg_read(argc, argv);\n"
        "  int n = 0, rows = 0, columns = 0, count = 0;\n"
        "  float* x = (float*)wbImport(wbArg_getInputFile(args, 0), &n);\n"
        "  int* m = (int*)wbImport(wbArg_getInputFile(args, 1), &rows, &columns, \"Integer\");\n"
        "  float* zeros = (float*)wbImport(wbArg_getExpectedOutputFile(args), &count);\n"
        "  if (rows != 2 || columns != n || count != n || zeros[n - 1] != 0 || m[2 * n - 1] != 9)\n"
        "    return 3;\n"
        "  for (int i = 0; i < n; ++i) x[i] *= 2;\n" +
            body + "}\n");
  };
  const auto right =
      of_main("  wbSolution(args, x, n);\n  free(x), free(m), free(zeros);\n  return 0;\n");
  const auto silent = of_main("  free(x), free(m), free(zeros);\n  return 0;\n");
  const auto failing =
      of_main("  wbSolution(args, x, n);\n  free(x), free(m), free(zeros);\n  return 1;\n");
  // exit() runs no destructor of main's variables, so that args is emptied before.
  const std::string last_words =
      "  wbSolution(args, x, n);\n  free(x), free(m), free(zeros);\n  args = wbArg_t();\n";
  const auto exiting = of_main(last_words + "  n % 2 ? exit(0) : _Exit(0);\n");
  const auto giving_up = of_main(last_words + "  exit(1);\n");
  for (const int n : {1, 7, 100}) {
    std::vector<float> y(static_cast<std::size_t>(n)), x(y.size()), m(2 * y.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.1F * static_cast<float>(i) - 1;
    const std::vector<unsigned> nines(m.size(), 9);
    std::memcpy(m.data(), nines.data(), m.size() * sizeof(float));
    const auto results = [&](const Library& library) {
      std::ranges::fill(y, -5.0F);
      opgrade_call call{.buffer = {y.data(), x.data(), m.data()}, .size = {n}};
      run_program(library, call, y.size() * sizeof(float));
      return y;
    };
    std::vector<float> twice;
    for (const float one : x) twice.push_back(2 * one);
    EXPECT_EQ(results(*right), twice) << "every bit comes back";
    EXPECT_THAT(results(*silent), testing::Each(-5.0F));
    EXPECT_THAT(results(*failing), testing::Each(-5.0F)) << "the file of a failed main";
    EXPECT_EQ(results(*exiting), twice) << "exit(0) ends a program as return 0 does";
    EXPECT_THAT(results(*giving_up), testing::Each(-5.0F));
  }
}

TEST(Program, ImagesHaveLevelsAndAFileMayBeginWithItsSizes) {
  TaskDescription task;
  task.name = "all";
  task.title = "All";
  task.function =
      parse_prototype("void red(const float* picture, float* levels, int rows, int columns)");
  task.program = "-e expected.dat -i picture.ppm -o levels.dat";
  task.sizes = {{.name = "rows", .to = 99}, {.name = "columns", .to = 99}};
  task.buffers = {buffer("picture", "float", Role::in, {"rows", "columns", "3"}),
                  buffer("levels", "float", Role::out, {"rows", "columns"})};
  task.buffers[1].file_starts_with = {"rows", "columns"};
  check(task);
  const auto of_main = [&](const std::string& first) {
    return std::make_unique<Library>(
        "all.h",
        student_header(task) + "#include \"" OPGRADE_SOURCE_DIR
                               "/grader/platform/harness/adapters/wb.h\"\n",
        student_adapter(task, Device::cpu),
        "int main(int argc, char** argv) {\n"
        "  wbArg_t args = wbArg_read(argc, argv);\n"
        "  wbImage_t in = wbImport(wbArg_getInputFile(args, 0));\n"
        "  int count = 0, pixels = in->width * in->height;\n"
        "  free(wbImport(wbArg_getExpectedOutputFile(args), &count));\n"
        "  if (count != 2 + pixels) return 3;\n"
        "  std::vector<float> out(count);\n"
        "  out[0] = " +
            first +
            ", out[1] = in->width;\n"
            "  for (int i = 0; i < pixels; ++i)\n"
            "    out[2 + i] = (unsigned char)(255 * in->data[3 * i]) +\n"
            "                 1000 * (unsigned char)(255.0 * in->data[3 * i]);\n"
            "  wbImage_delete(in);\n"
            "  wbSolution(args, out.data(), count);\n"
            "  return 0;\n}\n");
  };
  const auto right = of_main("in->height"), wrong = of_main("in->height + 1");
  std::vector<float> picture(3 * 256, 0.0F), levels(256, -5.0F), expected(256);
  for (std::size_t i = 0; i < 256; ++i) {
    picture[3 * i] = static_cast<float>(i) / 255;
    expected[i] = 1001 * static_cast<float>(i);
  }
  opgrade_call call{.buffer = {levels.data(), picture.data()}, .size = {8, 32}};
  run_program(*wrong, call, levels.size() * sizeof(float));
  EXPECT_THAT(levels, testing::Each(-5.0F)) << "another size in the file";
  run_program(*right, call, levels.size() * sizeof(float));
  EXPECT_EQ(levels, expected) << "in float and in double";
}

TEST(Program, WholeNumbersAreExact) {
  TaskDescription task;
  task.name = "all";
  task.function = parse_prototype("void copy(const uint64_t* x, uint64_t* y, int n)");
  task.program = "x.raw y.raw";
  task.sizes = {{.name = "n", .to = 100, .random = 10}};
  task.buffers = {buffer("x", "uint64_t", Role::in, {"n"}),
                  buffer("y", "uint64_t", Role::out, {"n"})};
  check(task);
  const Library library("all.h", student_header(task), student_adapter(task, Device::cpu),
                        "#include <fstream>\n#include <string>\n"
                        "int main(int, char** names) {\n"
                        "  std::ifstream in(names[1]);\n  std::ofstream out(names[2]);\n"
                        "  for (std::string word; in >> word;) out << word << '\\n';\n"
                        "  std::ifstream again(names[1]);\n  int n = 0;\n  long long first = 0;\n"
                        "  return again >> n >> first && n == 3 ? 1 : 0;\n}\n");
  std::vector<std::uint64_t> x{~std::uint64_t{0}, (std::uint64_t{1} << 63) + 5, 7}, y(3);
  opgrade_call call{
      .buffer = {reinterpret_cast<float*>(y.data()), reinterpret_cast<float*>(x.data())},
      .size = {3}};
  run_program(library, call, y.size() * sizeof(std::uint64_t));
  EXPECT_EQ(y, x) << "2^64 - 1 is no long long";
}

/// Distances as a program with binary files, an argument from the sizes and a line of input.
TaskDescription binary_program(const std::string& words) {
  TaskDescription task;
  task.name = "all";
  task.function = parse_prototype("void copy(const short* x, short* y, int n)");
  task.program = words;
  task.sizes = {{.name = "n", .to = 100, .random = 10}};
  task.buffers = {buffer("x", "short", Role::in, {"n"}), buffer("y", "short", Role::out, {"n"})};
  for (auto& one : task.buffers) one.file_starts_with = {"n", "n + 1"};
  check(task);
  return task;
}

TEST(Program, BinaryFilesHoldTheValuesAsInMemory) {
  const auto task = binary_program("x.bin y.bin {n} --twice={2*n}x{n-1}");
  const auto of_main = [&](const std::string& values) {
    return std::make_unique<Library>(
        "all.h", student_header(task), student_adapter(task, Device::cpu),
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
        "int main(int count, char** words) {\n"
        "  int start[2]; short x[100];\n"
        "  FILE* in = fopen(words[1], \"rb\");\n"
        "  if (!in || fread(start, 4, 2, in) != 2 || start[1] != start[0] + 1) return 3;\n"
        "  const int n = start[0];\n"
        "  if ((int)fread(x, 2, 100, in) != n) return 4;\n"
        "  if (count != 5 || atoi(words[3]) != n || strcmp(words[4], \"--twice=6x2\")) return 5;\n"
        "  fclose(in);\n"
        "  FILE* out = fopen(words[2], \"wb\");\n" +
            values + "  fclose(out);\n  return 0;\n}\n");
  };
  const std::vector<short> x{-7, 32767, 0};
  const auto written = [&](const std::string& values) {
    std::vector<short> y(4, -1);
    opgrade_call call{.buffer = {reinterpret_cast<float*>(y.data()),
                                 reinterpret_cast<float*>(const_cast<short*>(x.data()))},
                      .size = {3}};
    run_program(*of_main(values), call, y.size() * sizeof(short));
    y.resize(3);
    return y;
  };
  EXPECT_EQ(written("  fwrite(start, 4, 2, out), fwrite(x, 2, n, out);\n"), x);
  const std::vector<short> none(3, -1);
  EXPECT_EQ(written("  start[0] = 4, fwrite(start, 4, 2, out), fwrite(x, 2, n, out);\n"), none);
  EXPECT_EQ(written("  fwrite(x, 2, n, out);\n"), none) << "without its start";
  EXPECT_EQ(written("  fwrite(start, 4, 2, out), fwrite(x, 2, 1, out);\n"),
            (std::vector<short>{-7, -1, -1}))
      << "what is missing was not written";
  EXPECT_EQ(written("  fwrite(start, 4, 2, out), fwrite(x, 2, n, out), fwrite(x, 2, 1, out);\n"),
            none)
      << "more than its values";
}

TEST(Program, ANumberAtTheStartOfABinaryFileHasFourBytes) {
  TaskDescription task = binary_program("x.bin y.bin");
  task.buffers[1].file_starts_with = {"n * 100000000"};
  EXPECT_THROW(check(task), std::invalid_argument);
}

TEST(Program, StandardInputAndOutputAreFiles) {
  TaskDescription task = program();
  task.program = "{n} < x.raw > y.raw";
  task.function = parse_prototype("void twice(const float* x, float* y, int n)");
  task.buffers.erase(task.buffers.begin() + 1);
  check(task);
  const Library library("all.h", student_header(task), student_adapter(task, Device::cpu),
                        "#include <iostream>\n#include <cstdlib>\n"
                        "int main(int count, char** words) {\n"
                        "  int n = 0;\n  std::cin >> n;\n"
                        "  if (count != 2 || n != std::atoi(words[1])) return 3;\n"
                        "  std::cout << n << '\\n';\n"
                        "  for (float x; std::cin >> x;) std::cout << 2 * x << ' ';\n"
                        "  return 0;\n}\n");
  std::vector<float> x{1, -2.5F, 8}, y(3, -5.0F);
  opgrade_call call{.buffer = {y.data(), x.data()}, .size = {3}};
  run_program(library, call, y.size() * sizeof(float));
  EXPECT_EQ(y, (std::vector<float>{2, -5, 16}));
}

TEST(Program, AnOutputThatLeavesStandardStreamsUnsynchronisedIsWhole) {
  TaskDescription task = program();
  task.program = "{n} < x.raw > y.raw";
  task.function = parse_prototype("void twice(const float* x, float* y, int n)");
  task.buffers.erase(task.buffers.begin() + 1);
  check(task);
  const std::string adapter = student_adapter(task, Device::cpu);
  EXPECT_LT(adapter.find("std::cout.flush()"), adapter.find("dup2(2, 1)"));
  const Library library("all.h", student_header(task), adapter,
                        "#include <iostream>\n"
                        "int main() {\n"
                        "  std::ios::sync_with_stdio(false);\n"
                        "  std::cin.tie(nullptr);\n"
                        "  int n = 0;\n  std::cin >> n;\n  std::cout << n << '\\n';\n"
                        "  for (float x; std::cin >> x;) std::cout << 2 * x << ' ';\n"
                        "  return 0;\n}\n");
  std::vector<float> x{1, -2.5F, 8}, y(3, -5.0F);
  opgrade_call call{.buffer = {y.data(), x.data()}, .size = {3}};
  run_program(library, call, y.size() * sizeof(float));
  EXPECT_EQ(y, (std::vector<float>{2, -5, 16}));
}

TEST(Program, WordsThatCannotStandThereAreRefused) {
  for (const auto& [words, why] :
       {std::pair{"x.bin y.bin {n", "a '{' is not closed"},
        {"x.bin y.bin n}", "'}' cannot stand in an argument"},
        {"x.bin y.bin {m}", "'m' is no size"},
        {"x.bin y.bin {n +}", "missing"},
        {"x.bin y.bin {system()}", "'system'"},
        {"x.bin y.bin {\"}", "cannot stand"},
        {"x.bin>y.bin", "with blanks around '<' and '>'"},
        {"< x.bin > ", "one file stands behind"},
        {"< x.bin < x.bin > y.bin", "one file stands behind"},
        {"x.bin y.bin < y.bin", "'< y.bin' is no file of a buffer with `role: in`"},
        {"x.bin > x.bin", "'> x.bin' is no file of a buffer with `role: out`"},
        {"x.bin y.png", "'y' is the image y.png: it must be unsigned char or float"},
        {"-e e.ppm x.bin y.bin", "'y' is the image e.ppm"},
        {"x.bin", "y.raw, y.dat, y.bin, y.ppm or y.png, and the folder has no read.cpp"},
        {"y.bin", "and the folder has no write.cpp"}})
    try {
      (void)binary_program(words);
      ADD_FAILURE() << words;
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), HasSubstr(why)) << words;
    }
}

/// Sums of points that a program reads as text, one a line; a number that no file of opgrade's can
/// hold comes back.
TaskDescription program_of_staff() {
  TaskDescription task;
  task.name = "all";
  task.types = "struct Point { short x, y; };\n";
  task.function =
      parse_prototype("void sum(const Point* points, int& all, int n)", StructTypes(task.types));
  task.program = "points.csv {n} > sum.txt";
  task.sizes = {{.name = "n", .to = 100, .random = 10}};
  task.buffers = {buffer("points", "short", Role::in, {"n"}), buffer("all", "int", Role::out, {})};
  task.buffers[0].record = task.function.parameters[0].record;
  task.buffers[0].components = 2;
  task.buffers[1].scalar = true;
  task.writer = R"(
#include <fstream>

void write_inputs(const Point* points, int n) {
  std::ofstream out("points.csv");
  for (int i = 0; i < n; ++i) out << points[i].x << ';' << points[i].y << '\n';
}
)";
  task.reader = R"(
#include <fstream>
#include <string>

const char* read_outputs(const Point* points, int& all, int n) {
  std::ifstream in("sum.txt");
  std::string word;
  all = 99; /* a complaint takes it back */
  if (n > 0 && points[0].x == 99) return "the points are wrong";
  if (!(in >> word >> all) || word != "sum") return "sum.txt does not begin with 'sum'";
  return nullptr;
}
)";
  check(task);
  return task;
}

TEST(Program, StaffsCodeWritesAndReadsFilesOfOtherFormats) {
  const auto task = program_of_staff();
  EXPECT_THAT(written_by_staff(task), testing::ElementsAre("points"));
  EXPECT_THAT(read_by_staff(task), testing::ElementsAre("all"));
  const auto sum_by = [&](const std::string& first) {
    const Library library(
        "all.h", student_header(task), student_adapter(task, Device::cpu),
        "#include <stdio.h>\n#include <stdlib.h>\n"
        "struct Point;\n"
        // Names of staff's functions are free, for the writer and the reader are the adapter's own.
        "void write_inputs(const Point*, int) { abort(); }\n"
        "const char* read_outputs(const Point*, int&, int) { abort(); }\n"
        "int main(int, char** words) {\n"
        "  FILE* in = fopen(words[1], \"r\");\n"
        "  int all = 0, lines = 0, x, y;\n"
        "  if (!in) return 3;\n"
        "  while (fscanf(in, \"%d;%d\\n\", &x, &y) == 2) all += x * y, ++lines;\n"
        "  if (lines != atoi(words[2])) return 4;\n"
        "  printf(\"" +
            first +
            " %d\\n\", all);\n"
            "  return 0;\n}\n",
        "", types_header(task));
    std::vector<short> points{3, 4, -5, 6};
    std::vector<int> all{-1};
    opgrade_call call{
        .buffer = {reinterpret_cast<float*>(all.data()), reinterpret_cast<float*>(points.data())},
        .size = {2}};
    run_program(library, call, sizeof(int));
    return all[0];
  };
  EXPECT_EQ(sum_by("sum"), 3 * 4 - 5 * 6);
  EXPECT_EQ(sum_by("total"), -1) << "as it was before the reader's complaint";
}

TEST(Program, AFileOfStaffsNeedsItsCode) {
  TaskDescription task = program_of_staff();
  task.reader.clear();
  try {
    check(task);
    ADD_FAILURE();
  } catch (const std::invalid_argument& e) {
    EXPECT_THAT(e.what(), HasSubstr("add read.cpp that reads it"));
  }
  // A struct has no file of opgrade's.
  task = program_of_staff();
  task.program = "points.bin > sum.txt";
  EXPECT_THROW(check(task), std::invalid_argument);
}

/// Half of each level, from a picture in.png to out.png, with a decoder and an encoder.
std::string halves(const std::string& size) {
  return "#include \"../png_file.h\"\n"
         "int main(int, char** words) {\n"
         "  opgrade_png::Picture picture{" +
         size +
         "};\n"
         "  opgrade_png::Bytes levels;\n"
         "  if (opgrade_png::read(words[1], picture, levels)) return 3;\n"
         "  for (unsigned char& level : levels) level /= 2;\n"
         "  return !opgrade_png::write(words[2], picture, levels.data());\n}\n";
}

TEST(Program, PicturesAreLevelsOfAPng) {
  TaskDescription task;
  task.name = "all";
  task.program = "in.png out.png";
  task.sizes = {{.name = "rows", .to = 99}, {.name = "columns", .to = 99}};
  const auto with = [&](const char* type, const std::vector<std::string>& extents) {
    task.function = parse_prototype(
        fmt::format("void half(const {0}* in, {0}* out, int rows, int columns)", type));
    task.buffers = {buffer("in", type, Role::in, extents), buffer("out", type, Role::out, extents)};
    check(task);
  };
  const auto library = [&](const std::string& size) {
    return std::make_unique<Library>("all.h", student_header(task),
                                     student_adapter(task, Device::cpu), halves(size));
  };
  std::vector<unsigned char> levels(3 * 2 * 4), half(levels.size(), 77);
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<unsigned char>(11 * i);
  opgrade_call call{
      .buffer = {reinterpret_cast<float*>(half.data()), reinterpret_cast<float*>(levels.data())},
      .size = {2, 3}};
  with("uchar4", {"rows", "columns"});
  run_program(*library("3, 2, 4"), call, half.size());
  for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(half[i], levels[i] / 2) << i;

  half.assign(half.size(), 77);
  with("unsigned char", {"rows", "columns"});
  run_program(*library("3, 2, 1"), call, half.size());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(half[i], levels[i] / 2) << i;
  half.assign(half.size(), 77);
  // Another size than that of the task's picture, which a program cannot make of its input.
  const Library turned(
      "all.h", student_header(task), student_adapter(task, Device::cpu),
      "#include \"../png_file.h\"\n"
      "int main(int, char** words) {\n"
      "  return !opgrade_png::write(words[2], {2, 3, 1}, opgrade_png::Bytes(6).data());\n"
      "}\n");
  run_program(turned, call, half.size());
  EXPECT_THAT(half, testing::Each(77)) << "none of its pixels counts";

  with("float", {"rows", "columns", "3"});
  std::vector<float> shares(3 * 2 * 3), halved(shares.size(), -1.0F);
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = static_cast<float>(2 * i) / 255;
  call.buffer[0] = halved.data();
  call.buffer[1] = shares.data();
  run_program(*library("3, 2, 3"), call, halved.size() * sizeof(float));
  for (std::size_t i = 0; i < shares.size(); ++i)
    EXPECT_EQ(halved[i], static_cast<float>(i) / 255) << i;
}

TEST(Layout, OutputsLieOneAfterAnother) {
  const auto task = everything();
  const Layout layout(task, {{"n", 5}, {"kind", 1}});
  std::vector<std::size_t> bytes;
  for (const auto& shape : layout.shared()) bytes.push_back(shape.size().bytes());
  // sums 16, least 2, small 10, scaled 10, result 8 bytes, each from a multiple of 256, and a
  // guard.
  EXPECT_THAT(bytes, testing::ElementsAre(4 * 256 + 8 + 64, 10, 40, 4, 10));
  EXPECT_EQ(layout.shared()[0].name, "sums, least, small, scaled, result");
  EXPECT_EQ(ExpectedLayout(layout).bytes, 8U * (2 + 1 + 5 + 5 + 5 + 1));
}

}  // namespace
}  // namespace opgrade
