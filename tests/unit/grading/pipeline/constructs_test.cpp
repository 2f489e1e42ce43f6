#include "grader/grading/pipeline/constructs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/read_tree.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/report/words/reason_words.hpp"
#include "tests/unit/grading/build/compile_fixture.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using Files = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kSpellingsHeader = R"(#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>
#define JOIN(a, b) a##b
#define TEXT(...) #__VA_ARGS__
#define OMP(...) _Pragma(TEXT(omp __VA_ARGS__))
#define FOR for (int i = 0; i < n; ++i)
#define SORTED(v) std::sort(std::begin(v), std::end(v))
namespace short_name = std;
struct Pair { int a, b; };
template <class T> struct Box { T value[4]; };
#ifdef __CUDACC__
#define SHARED __shared__
#define TILE(type, name, n) __shared__ type name[n]
#define KERNEL(name) __global__ void name(int* x, int n)
constexpr int kSize = 32;
__device__ inline void fill(int* t) { t[0] = 1; }
__device__ inline int first(const int* t) { return t[0]; }
__device__ inline void both(int& t) { t = t + 1; }
template <class T> __device__ T* same(T* t) { return t; }
#endif
)";

const std::vector<std::string> kSpellingsOfShared{
    "__global__ void @(int* x, int n) { __shared__ int t[32]; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { __shared__ int t[kSize]; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { __shared__ float t[kSize][kSize + 1]; t[n][n] = *x; *x = t[0][1]; }",
    "KERNEL(@) { SHARED int t[8]; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { TILE(int, t, 8); t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { int __shared__ t[8]; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { static __shared__ int t[8]; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { __shared__ volatile int t[8]; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { extern __shared__ int dynamic[]; dynamic[n] = *x; *x = dynamic[0]; }",
    "KERNEL(@) { extern __shared__ char raw[]; int* t = (int*)raw; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { extern __shared__ char raw2[]; auto t = reinterpret_cast<int*>(raw2); t[n] = 1; }",
    "KERNEL(@) { __shared__ __align__(16) int t[8]; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { alignas(16) __shared__ int t[8]; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { __shared__ int t; if (n == 0) t = *x; *x = t; }",
    "KERNEL(@) { __shared__ int t; atomicAdd(&t, n); }",
    "KERNEL(@) { __shared__ int t[8]; atomicMax(t + n, *x); }",
    "KERNEL(@) { __shared__ int t[8]; t[n] += *x; }",
    "KERNEL(@) { __shared__ int t[8]; t[n]++; }",
    "KERNEL(@) { __shared__ Pair t; t.a = *x; *x = t.a; }",
    "KERNEL(@) { __shared__ Pair t[8]; t[n].a = *x; *x = t[0].a; }",
    "KERNEL(@) { __shared__ Box<int> t; t.value[n] = *x; *x = t.value[0]; }",
    "KERNEL(@) { __shared__ int t[8]; fill(t); *x = first(t); }",
    "KERNEL(@) { __shared__ int t[8]; both(t[n]); }",
    "KERNEL(@) { __shared__ int t[8]; int* p = t; p[n] = *x; *x = *p; }",
    "KERNEL(@) { __shared__ int t[8]; int* p = &t[0]; p[n] = *x; *x = *p; }",
    "KERNEL(@) { __shared__ int t[8]; *(t + n) = *x; *x = *t; }",
    "KERNEL(@) { __shared__ int t[8]; n[t] = *x; *x = 0[t]; }",
    "KERNEL(@) { __shared__ int t[8]; same(t)[n] = *x; *x = t[0]; }",
    "KERNEL(@) { __shared__ int t[8]; auto set = [&](int v) { t[n] = v; }; set(*x); *x = t[0]; }",
    "KERNEL(@) { using Tile = int[8]; __shared__ Tile t; t[n] = *x; *x = t[0]; }",
    "KERNEL(@) { __shared__ int t[8]; int(&r)[8] = t; r[n] = *x; *x = r[0]; }",
    "KERNEL(@) { __shared__ int t[8]; for (int i = 0; i < n; ++i) { t[i] = x[i]; *x = t[n - i]; } "
    "}",
    "template <class T> __global__ void @(T* x, int n) { __shared__ T t[8]; t[n] = *x; *x = t[0]; "
    "}",
    "KERNEL(@) { __shared__ double2 t[8]; t[n].x = *x; *x = t[0].x; }",
    "static KERNEL(@) { __shared__ unsigned char t[8]; t[n] = *x; *x = t[0]; }"};

const std::vector<std::string> kSpellingsOfOpenMp{
    "void @(int* x, int n) { OMP(parallel for) FOR x[i] = i; }",
    "void @(int* x, int n) { _Pragma(\"omp parallel for\") FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel) { x[n] = 1; } }",
    "void @(int* x, int n) { OMP(parallel) { OMP(for) FOR x[i] = i; } }",
    "void @(int* x, int n) { OMP(parallel for schedule(static)) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel for schedule(dynamic, 4)) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel for schedule(guided)) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel for num_threads(4)) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel for shared(x) firstprivate(n)) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel for default(none) shared(x, n)) FOR x[i] = i; }",
    "void @(int* x, int n) { int s = 0; OMP(parallel for reduction(+ : s)) FOR s += x[i]; *x = s; "
    "}",
    "void @(int* x, int n) { OMP(parallel for simd) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(simd) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel for collapse(2)) FOR for (int j = 0; j < 2; ++j) x[i] = "
    "j; }",
    "void @(int* x, int n) { OMP(parallel for if (n > 9)) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel for private(n)) for (int i = 0; i < 9; ++i) x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel sections) { OMP(section) x[0] = 1; OMP(section) x[1] = "
    "n; } }",
    "void @(int* x, int n) { OMP(parallel) OMP(single) x[n] = 1; }",
    "void @(int* x, int n) { OMP(parallel) OMP(master) x[n] = 1; }",
    "void @(int* x, int n) { OMP(parallel) { OMP(single) FOR { OMP(task) x[i] = i; } } }",
    "void @(int* x, int n) { OMP(parallel) OMP(single) OMP(taskloop) FOR x[i] = i; }",
    "void @(int* x, int n) { FOR { OMP(atomic) x[0] += i; } }",
    "void @(int* x, int n) { FOR { OMP(critical) x[0] += i; } }",
    "void @(int* x, int n) { if (n > 4) { OMP(parallel for) FOR x[i] = i; } }",
    "void @(int* x, int n) { auto f = [&] { OMP(parallel for) FOR x[i] = i; }; f(); }",
    "static void @(int* x, int n) { OMP(parallel for) FOR x[i] = i; }",
    "inline void @(int* x, int n) { OMP(parallel for) FOR x[i] = i; }",
    "template <class T> void @(T* x, int n) { OMP(parallel for) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel for proc_bind(close)) FOR x[i] = i; }",
    "void @(int* x, int n) { OMP(parallel) { OMP(for nowait) FOR x[i] = i; } }",
    "void @(int* x, int n) { OMP(parallel for) for (int* p = x; p < x + n; ++p) *p = 1; }",
    "void @(int* x, int n) { OMP(parallel for) for (int i = n - 1; i >= 0; --i) x[i] = i; }"};

const std::vector<std::string> kSpellingsOfSort{
    "void @(int* x, int n) { std::sort(x, x + n); }",
    "void @(int* x, int n) { ::std::sort(x, x + n); }",
    "void @(int* x, int n) { std :: sort (x, x + n); }",
    "void @(int* x, int n) { std::/* here */sort(x, x + n); }",
    "void @(int* x, int n) { using namespace std; sort(x, x + n); }",
    "void @(int* x, int n) { using std::sort; sort(x, x + n); }",
    "void @(int* x, int n) { namespace s = std; s::sort(x, x + n); }",
    "void @(int* x, int n) { short_name::sort(x, x + n); }",
    "void @(int* x, int n) { std::sort<int*>(x, x + n); }",
    "void @(int* x, int n) { std::sort(x, x + n, std::less<int>()); }",
    "void @(int* x, int n) { std::sort(x, x + n, [](int a, int b) { return a > b; }); }",
    "void @(int* x, int n) { std::sort<int*, std::greater<>>(x, x + n, {}); }",
    "void @(int* x, int n) { (std::sort)(x, x + n); }",
    "void @(int* x, int n) { (&std::sort<int*>)(x, x + n); }",
    "void @(int* x, int n) { auto f = std::sort<int*>; f(x, x + n); }",
    "void @(int* x, int n) { void (*f)(int*, int*) = std::sort; f(x, x + n); }",
    "void @(int* x, int n) { void (&f)(int*, int*) = std::sort; f(x, x + n); }",
    "void @(int* x, int n) { auto f = [](auto a, auto b) { std::sort(a, b); }; f(x, x + n); }",
    "void @(int* x, int n) { auto f = static_cast<void (*)(int*, int*)>(std::sort); f(x, x + n); }",
    "void @(int* x, int n) { std::vector<int> v(x, x + n); std::sort(v.begin(), v.end()); }",
    "void @(int* x, int n) { std::vector<int> v(x, x + n); std::sort(v.rbegin(), v.rend()); }",
    "void @(int* x, int n) { std::vector<int> v(x, x + n); sort(v.begin(), v.end()); }",
    "void @(int* x, int n) { std::vector<int> v(x, x + n); SORTED(v); }",
    "void @(int* x, int n) { std::JOIN(so, rt)(x, x + n); }",
    "void @(int* x, int n) { JOIN(st, d)::sort(x, x + n); }",
    "template <class T> void @(T* x, int n) { std::sort(x, x + n); }",
    "static void @(int* x, int n) { std::sort(x, x + n); }",
    "void @(int* x, int n) { if (n > 3) std::sort(x, x + n); }",
    "void @(int* x, int n) { for (int i = 0; i < n; ++i) std::sort(x + i, x + n); }",
    "void @(int* x, int n) { return std::sort(x, x + n); }",
    "void @(int* x, int n) { n > 1 ? std::sort(x, x + n) : void(); }",
    "void @(int* x, int n) { struct S { void go(int* a, int b) { std::sort(a, a + b); } }; "
    "S().go(x, n); }"};

/// With the real preprocessors, in the real sandbox.
class Constructs : public test::Compile {
 protected:
  /// Why the files break the rule in a stage that compiles a.cu; "" where they keep it.
  std::string broken(const ConstructConfig& construct, const Files& files,
                     Device device = Device::emulated) {
    return broken(std::vector{construct}, files, device).front();
  }

  /// Of each rule.
  std::vector<std::string> broken(const std::vector<ConstructConfig>& constructs,
                                  const Files& files, Device device) {
    StageConfig stage;
    stage.constructs = constructs;
    std::vector<std::string> texts;
    for (const auto& construct : constructs) texts.push_back(tokens_of(construct));
    TakenFiles taken;
    for (const auto& [name, bytes] : files) taken.files.push_back({name, bytes});
    const std::string source = files.front().first;
    folder.emplace("opgrade-test-");
    sandbox->hand_over(folder->path());
    const CompileJob job{find_interface("minidnn-3"), device, {source}, flags, {}, taken, limits};
    const auto read = preprocess(job, texts, tools, *sandbox, folder->path());
    if (!read) {
      EXPECT_EQ(read.error().outcome, Outcome::build_failed);
      return std::vector(constructs.size(), report::sentence_of(read.error().reason) + "\n" +
                                                read.error().compiler_output);
    }
    TempDir tree("opgrade-test-");
    sandbox->hand_over(tree.path());
    const auto uses = tree_uses(job, *read, tools, *sandbox, tree.path());
    EXPECT_TRUE(!must_have_tree || (uses && uses->is_whole)) << read->front().text;
    std::vector<std::string> all;
    for (const auto& one : broken_constructs(stage, job.sources, *read, uses))
      all.push_back(one ? report::sentence_of(*one) : "");
    return all;
  }

  TreeUses tree_of(const std::string& source, const std::string& text, Device device) {
    const TakenFiles taken{".", {{source, text}, {"spellings.h", kSpellingsHeader}}};
    const CompileJob job{find_interface("minidnn-3"), device, {source}, flags, {}, taken, limits};
    TempDir before("opgrade-test-"), tree("opgrade-test-");
    sandbox->hand_over(before.path());
    sandbox->hand_over(tree.path());
    const auto read = preprocess(job, {}, tools, *sandbox, before.path());
    EXPECT_TRUE(read) << read.error().compiler_output;
    const auto uses = tree_uses(job, *read, tools, *sandbox, tree.path());
    EXPECT_TRUE(uses && uses->is_whole) << text;
    return *uses;
  }

  /// Line 1 includes spellings.h; line i + 2 is the spelling i, in which @ is the name k<i>.
  template <class Call>
  void expect_uses(const std::string& construct, const std::string& source, Device device,
                   const std::vector<std::string>& spellings, const Call& call) {
    EXPECT_GE(spellings.size(), 30U);
    std::string text = "#include \"spellings.h\"\n", calls;
    for (std::size_t i = 0; i < spellings.size(); ++i) {
      std::string line = spellings[i];
      for (auto at = line.find('@'); at != line.npos; at = line.find('@'))
        line.replace(at, 1, fmt::format("k{}", i));
      text += line + "\n";
      calls += call(i) + "\n";
    }
    text += "void run(int* x, int n) {\n" + calls + "}\n";
    const TreeUses uses = tree_of(source, text, device);
    for (std::size_t i = 0; i < spellings.size(); ++i)
      EXPECT_TRUE(std::ranges::any_of(uses.uses, [&](const TreeUse& use) {
        return use.name == construct && use.line == static_cast<int>(i) + 2;
      })) << spellings[i];
  }

  bool must_have_tree = false;
  const ConstructConfig shared{.required = "__shared__"}, omp{.required = "#pragma omp"};
  const ConstructConfig no_cub{.forbidden = "cub::"}, no_add{.forbidden = "atomicAdd"};
};

/// `tile` inside the kernel, and a launch of it that the harness calls.
std::string launched(const std::string& inside, const std::string& before = "") {
  return before + "\n__global__ void kernel(int* x) {\n" + inside +
         "\n}\nvoid run(int* x) { kernel<<<1, 32>>>(x); }\n";
}
const std::string kTile =
    launched("__shared__ int tile[32];\ntile[threadIdx.x] = *x;\n__syncthreads();\n*x = tile[0];");

class ConstructsByTree : public Constructs {
 protected:
  void SetUp() override {
    Constructs::SetUp();
    if (IsSkipped()) return;
    OPGRADE_SKIP_UNLESS("emulator", tools.emulator.has_value(), "no emulated device");
    OPGRADE_SKIP_UNLESS("front end", tools.has_front_end(), "no front end");
    must_have_tree = true;
  }

  /// Those with a compiler for CUDA.
  std::vector<Device> devices() const {
    return tools.cuda_root ? std::vector{Device::emulated, Device::cuda}
                           : std::vector{Device::emulated};
  }
};

TEST_F(ConstructsByTree, SharedMemoryThatAKernelWritesAndReadsIsUsed) {
  for (const std::string& text :
       {kTile,
        launched("TILE(int, 32);\ntile[1] = *x;\n*x = tile[1];",
                 "#define TILE(type, n) __shared__ type tile[n]"),
        launched("extern __shared__ int tile[];\ntile[threadIdx.x] = 1;\n*x = tile[0];"),
        launched("__shared__ int count;\natomicAdd(&count, 1);"),
        launched("__shared__ int tile[2][3];\ntile[0][1] = 1;\nint y = tile[1][2];\n*x = y;"),
        launched("__shared__ int tile[4];\nfill(tile);",
                 "__device__ void fill(int* t) { t[0] = 1; }"),
        launched("__shared__ int tile[4];\nint* p = tile;\n*p = 1;"),
        launched("__shared__ int tile[4];\n*tile = 1;\n*x = *(tile + 1);"),
        launched("__shared__ struct { int a, b; } s;\ns.a = *x;\n*x = s.a;"),
        launched("sum<int>(x);",
                 "template <class T> __device__ void sum(T* x) {\n__shared__ T t[4];\nt[0] = *x;\n"
                 "*x = t[0];\n}"),
        launched("using Tile = int[4];\n__shared__ Tile tile;\ntile[0]++;"),
        std::string("template <int N> __global__ void k(int* x) {\n__shared__ int t[N];\nt[0] = 1;"
                    "\nx[0] = t[0];\n}\nvoid run(int* x) { k<8><<<1, 1>>>(x); }\n"),
        std::string("static __global__ void k(int* x) {\n__shared__ int t[2];\nt[0] = 1;\n*x = "
                    "t[0];\n}\nvoid run(int* x) {\nvoid* args[] = {&x};\n"
                    "cudaLaunchKernel((const void*)k, dim3(1), dim3(1), args, 0, 0);\n}\n")})
    EXPECT_EQ(broken(shared, {{"a.cu", text}}), "") << text;
}

TEST_F(ConstructsByTree, SharedMemoryWithoutUseIsMissing) {
  for (const std::string& text :
       {launched("__shared__ int tile[32];\n*x = 1;"),
        launched("__shared__ int tile[32];\n(void)tile;"),
        launched("__shared__ int tile[32];\ntile[0] = 1;"),
        launched("__shared__ int tile[32];\n*x = sizeof(tile);"),
        launched("if (false) {\n__shared__ int tile[2];\ntile[0] = 1;\n*x = tile[0];\n}"),
        launched("return;\n__shared__ int tile[2];\ntile[0] = 1;\n*x = tile[0];"),
        launched("constexpr int on = 0;\nfor (; on;) {\n__shared__ int tile[2];\ntile[0]++;\n}"),
        launched("*x = 1;",
                 "__global__ void other(int* x) {\n__shared__ int tile[2];\n"
                 "tile[0]++;\n*x = tile[0];\n}"),
        launched("*x = 1;",
                 "template <class T> __global__ void other(T* x) {\n__shared__ T t[2];\n"
                 "t[0]++;\n}"),
        launched("*x = 1;", "__device__ void help() {\n__shared__ int t[2];\nt[0]++;\n}"),
        launched("*x = 1;",
                 "__global__ void other() {\n__shared__ int t[2];\nt[0]++;\n}\n"
                 "static void never() { other<<<1, 1>>>(); }")})
    EXPECT_THAT(broken(shared, {{"a.cu", text}}), HasSubstr("no __shared__ in a.cu")) << text;
}

TEST_F(ConstructsByTree, AForbiddenFunctionIsFoundUnderAnyName) {
  for (const std::string& text :
       {launched("ADD(x, 1);", "#define CAT(a, b) a##b\n#define ADD CAT(atomic, Add)"),
        launched("add(x, 1);", "__device__ void add(int* p, int v) { atomicAdd(p, v); }"),
        launched("constexpr int (*add)(int*, int) = atomicAdd;\nadd(x, 1);"),
        launched("auto f = [](int* p) { atomicAdd(p, 1); };\nf(x);"),
        launched("Add{}(x);",
                 "struct Add { __device__ void operator()(int* p) const { "
                 "atomicAdd(p, 1); } };"),
        launched("add(x);", "template <class T> __device__ void add(T* p) { atomicAdd(p, T(1)); }"),
        launched("switch (*x) { if (false) { case 1: atomicAdd(x, 1); } }"),
        launched("goto in;\nif (false) {\nin: atomicAdd(x, 1);\n}"),
        launched("if (*x > 2) atomicAdd(x, 1);")})
    EXPECT_THAT(broken(no_add, {{"a.cu", text}}), HasSubstr("atomicAdd, which the course forbids"))
        << text;
  EXPECT_THAT(broken(no_add, {{"a.cu", launched("add(x);", "#include \"t.h\"")},
                              {"t.h",
                               "#pragma GCC system_header\n"
                               "__device__ inline void add(int* p) { atomicAdd(p, 1); }\n"}}),
              HasSubstr("t.h:2"));
}

TEST_F(ConstructsByTree, AForbiddenOneInCodeThatCannotRunIsNoUse) {
  for (const std::string& text :
       {launched("*x = 1;", "__device__ void add(int* p) {\natomicAdd(p, 1);\n}"),
        launched("*x = 1;", "__global__ void first(int* p) {\natomicAdd(p, 1);\n}"),
        launched("*x = 1;", "template <class T>\n__device__ void add(T* p) {\natomicAdd(p, 1);\n}"),
        launched("if (false) {\natomicAdd(x, 1);\n}\n*x = 1;"),
        launched("*x = 1;\nreturn;\natomicAdd(x, 1);")})
    EXPECT_EQ(broken(no_add, {{"a.cu", text}}), "") << text;
}

TEST_F(ConstructsByTree, AliasesOfTheLibraryAreSeen) {
  const ConstructConfig no_sort{.forbidden = "std::sort"};
  for (const char* body :
       {"std::sort(x, x + 2);", "namespace s = std;\ns::sort(x, x + 2);",
        "using namespace std;\nsort(x, x + 2);", "using std::sort;\nsort(x, x + 2);"})
    EXPECT_THAT(broken(no_sort, {{"a.cu", fmt::format("#include <algorithm>\nvoid run(int* x) {{\n"
                                                      "{}\n}}\n",
                                                      body)}}),
                HasSubstr("std::sort, which the course forbids"))
        << body;
  EXPECT_EQ(broken(no_sort, {{"a.cu",
                              "namespace mine { void sort(int*, int*) {} }\n"
                              "void run(int* x) { mine::sort(x, x); }\n"}}),
            "");
}

TEST_F(ConstructsByTree, ARequiredCallMustBeMade) {
  const ConstructConfig sort{.required = "std::sort"};
  const std::string header = "#include <algorithm>\n";
  for (const char* const text :
       {"using std::sort;\nvoid run(int* x) { *x = 1; }\n",
        "void run(int* x) { using std::sort; *x = 1; }\n",
        "namespace mine { void sort(int*, int*) {} }\n"
        "void run(int* x) { mine::sort(x, x); }\n",
        "void run(int* x) { *x = sizeof(std::sort(x, x), 1); }\n",
        "void run(int* x) { if (false) std::sort(x, x + 2); }\n",
        "static void never(int* x) { std::sort(x, x + 2); }\nvoid run(int* x) { *x = 1; }\n"})
    EXPECT_THAT(broken(sort, {{"a.cc", header + text}}, Device::cpu), HasSubstr("no std::sort"))
        << text;
  EXPECT_EQ(
      broken(sort, {{"a.cc", header + "void run(int* x) { std::sort(x, x + 2); }\n"}}, Device::cpu),
      "");
}

// The linker joins sources, so what one of them calls in another runs.
TEST_F(ConstructsByTree, CallsAreFollowedOverSources) {
  const std::string launch =
      "__global__ void other(int* x);\nvoid run(int* x) { other<<<1, 1>>>(x); }\n";
  const std::string adds = "__global__ void other(int* x) {\natomicAdd(x, 1);\n}\n";
  const std::vector<Files> forbidden{
      {{"a.cu", launch}, {"b.cu", adds}},
      {{"a.cu",
        "void away(int* x);\ntypedef void (*Away)(int*);\nAway table[] = {away};\n"
        "void run(int* x) { table[0](x); }\n"},
       {"b.cu", "__global__ void other(int* x);\nvoid away(int* x) { other<<<1, 1>>>(x); }\n"},
       {"c.cu", adds}},
      {{"a.cu",
        "namespace far { template <class T> __global__ void other(T* x); }\n"
        "void run(int* x) { far::other<int><<<1, 1>>>(x); }\n"},
       {"b.cu",
        "namespace far { template <class T> __global__ void other(T* x) {\natomicAdd(x, 1);\n}\n"
        "template __global__ void other<int>(int*); }\n"}},
      {{"a.cu",
        "extern \"C\" __global__ void other(int* x);\nvoid run(int* x) {\nvoid* a[] = {&x};\n"
        "cudaLaunchKernel((const void*)other, dim3(1), dim3(1), a, 0, 0);\n}\n"},
       {"b.cu", "extern \"C\" " + adds}}};
  for (const Files& files : forbidden)
    EXPECT_THAT(broken(no_add, files), HasSubstr("atomicAdd, which the course forbids"))
        << files.front().second;
  EXPECT_EQ(broken(no_add, {{"a.cu", launched("*x = 1;")}, {"b.cu", adds}}), "");
  EXPECT_EQ(broken(no_add, {{"a.cu", "__global__ void other(int*);\n" + launched("*x = 1;")},
                            {"b.cu", adds}}),
            "");
  EXPECT_EQ(broken(no_add, {{"a.cu", launch},
                            {"b.cu",
                             "__global__ void other(int* x) {\n*x = 1;\n}\n"
                             "__global__ void third(int* x) {\natomicAdd(x, 1);\n}\n"}}),
            "");
  const std::string tile =
      "__global__ void other(int* x) {\n__shared__ int t[2];\nt[0] = *x;\n*x = t[1];\n}\n";
  EXPECT_EQ(broken(shared, {{"a.cu", launch}, {"b.cu", tile}}), "");
  EXPECT_THAT(broken(shared, {{"a.cu", launched("*x = 1;")}, {"b.cu", tile}}),
              HasSubstr("no __shared__"));
}

// The compiler calls these, or the linker gives them a second name.
TEST_F(ConstructsByTree, CallsThatNoExpressionMakesAreFollowed) {
  const std::string sort =
      "#include <algorithm>\n#define CAT(a, b) a##b\n"
      "static void end(int** x) { std::CAT(so, rt)(*x, *x + 2); }\n";
  for (const char* const run :
       {"void run(int* x) {\nint* y __attribute__((cleanup(end))) = x;\n}\n",
        "extern \"C\" {\nstatic void named(int* x) { end(&x); }\n"
        "void run(int* x) __attribute__((alias(\"named\")));\n}\n",
        "struct Last {\nint* x;\n~Last() { end(&x); }\n};\nvoid run(int* x) { Last last{x}; }\n",
        "__attribute__((constructor)) static void first() { end(nullptr); }\n"})
    EXPECT_THAT(broken({.forbidden = "std::sort"}, {{"a.cc", sort + run}}, Device::cpu),
                HasSubstr("std::sort, which the course forbids"))
        << run;
  EXPECT_EQ(
      broken({.forbidden = "std::sort"}, {{"a.cc", sort + "void run(int*) {}\n"}}, Device::cpu),
      "");
}

// Each spelling is a line of its own, and the tree has a use of the construct there.
TEST_F(ConstructsByTree, AnyHonestSpellingOfSharedMemoryIsAUse) {
  for (const Device device : devices())
    expect_uses("__shared__", "a.cu", device, kSpellingsOfShared,
                [](std::size_t i) { return fmt::format("k{0}<<<1, 32>>>(x, n);", i); });
}

TEST_F(ConstructsByTree, AnyHonestSpellingOfOpenMpIsAUse) {
  flags.emplace_back("-fopenmp");
  expect_uses("#pragma omp", "a.cc", Device::cpu, kSpellingsOfOpenMp,
              [](std::size_t i) { return fmt::format("k{0}(x, n);", i); });
}

TEST_F(ConstructsByTree, AnyHonestSpellingOfACallIsAUse) {
  expect_uses("std::sort", "a.cc", Device::cpu, kSpellingsOfSort,
              [](std::size_t i) { return fmt::format("k{0}(x, n);", i); });
}

TEST_F(ConstructsByTree, OpenMpOnACpuMustBeInCodeThatRuns) {
  flags.emplace_back("-fopenmp");
  const std::string rest = "void run(int* x) {\nfor (int i = 0; i < 9; ++i) x[i] = i;\n}\n";
  for (const std::string& text :
       {std::string("void run(int* x) {\n#pragma omp parallel for\nfor (int i = 0; i < 9; ++i) "
                    "x[i] = i;\n}\n"),
        std::string("#define P _Pragma(\"omp parallel for\")\nvoid run(int* x) {\nP\nfor (int i = "
                    "0; i < 9; ++i) x[i] = i;\n}\n"),
        "static void f(int* x) {\n#pragma omp parallel\n{ x[0] = 1; }\n}\nvoid g(int* x) { f(x); "
        "}\n" +
            rest})
    EXPECT_EQ(broken(omp, {{"a.cc", text}}, Device::cpu), "") << text;
  for (const std::string& text :
       {"static void f(int* x) {\n#pragma omp parallel\n{ x[0] = 1; }\n}\n" + rest,
        "void f(int* x) {\nif (false) {\n#pragma omp parallel\n{ x[0] = 1; }\n}\n}\n" + rest,
        "#if '#' == ' '\n#pragma omp parallel for\n#endif\n" + rest,
        "#define WORD(l) #l[0] == 'x'\n#if 0\n#pragma omp parallel\n#endif\n" + rest})
    EXPECT_THAT(broken(omp, {{"a.cc", text}}, Device::cpu), HasSubstr("no #pragma omp")) << text;
}

TEST_F(ConstructsByTree, ADirectiveWithoutWorkForThreadsIsNone) {
  flags.emplace_back("-fopenmp");
  for (const char* const pragma :
       {"#pragma omp parallel\n{}", "#pragma omp parallel\n;", "#pragma omp barrier",
        "#pragma omp flush", "#pragma omp taskwait",
        "#pragma omp parallel for\nfor (int i = 0; i < 9; ++i);",
        "#pragma omp parallel for\nfor (int i = 0; i < 0; ++i) x[i] = 1;",
        "#pragma omp parallel for num_threads(1)\nfor (int i = 0; i < 9; ++i) x[i] = i;",
        "#pragma omp parallel for if (0)\nfor (int i = 0; i < 9; ++i) x[i] = i;"})
    EXPECT_THAT(
        broken(omp, {{"a.cc", fmt::format("void run(int* x) {{\n{}\nx[0] = 1;\n}}\n", pragma)}},
               Device::cpu),
        HasSubstr("no #pragma omp"))
        << pragma;
}

TEST_F(ConstructsByTree, ATextThatTheSearchAloneReadsHidesNothing) {
  const std::string sort =
      "#include <algorithm>\nvoid run(int* x) { std::sort(x, x + 2); }\n#else\n"
      "void run(int* x) {}\n#endif\n";
  for (const char* question :
       {"#if '#' == 35\n", "#if '#' != ' '\n",
        "#define SECOND(a, b, ...) b\n#define PICK(...) SECOND(__VA_ARGS__, 1, 0)\n"
        "#define A(l) PICK(#l)\n#define P x, 0\n#if A(P) == 1\n"})
    EXPECT_THAT(broken({.forbidden = "std::sort"}, {{"a.cc", question + sort}}, Device::cpu),
                HasSubstr("std::sort, which the course forbids"))
        << question;
}

/// Questions to which Clang and g++ have other answers: true for Clang.
const std::vector<std::string> kClangsQuestions{
    "#ifdef __clang__",
    "#if defined __clang_major__",
    "#if __GNUC__ < 5",
    "#ifndef __GXX_ABI_VERSION",
    "#if __has_feature(cxx_rvalue_references)",
    "#if __has_extension(blocks) || __has_builtin(__builtin_readcyclecounter)",
    "#if !__has_attribute(no_reorder)",
    "#if !__has_builtin(__builtin_shuffle)",
    "#if __has_cpp_attribute(clang::fallthrough)",
    "#ifdef __has_declspec_attribute",
    "#if __FLT_MAX_10_EXP__ && !defined __FLT128_DIG__",
    "#if !defined __GCC_IEC_559",
    "#define is_clang __clang__\n#ifdef is_clang\n#endif\n#if is_clang",
    "#define Q defined(__clang__)\n#if Q",
    "#include <limits.h>\n#ifdef __CLANG_LIMITS_H",
    "#include <stddef.h>\n#ifndef _STDDEF_H_",
    "#if '#' == 35 && defined __clang__",
    "#if __has_include(\"a.cc\") && __GNUC__ == 4",
    "#pragma push_macro(\"X\")\n#define X 1\n#ifdef __clang__",
    "#if __COUNTER__ >= 0 && __clang_major__"};

/// Each question once: lines with `built` are true for g++, those with `shown` for Clang.
TEST_F(ConstructsByTree, TheTreeIsOfTheTextThatIsBuilt) {
  std::string text =
      "#include <algorithm>\n#ifndef __has_feature\n#define __has_feature(x) 0\n"
      "#define __has_extension(x) 0\n#endif\n";
  std::vector<int> built, shown;
  const auto line = [&] { return static_cast<int>(std::ranges::count(text, '\n')) + 1; };
  for (std::size_t i = 0; i < kClangsQuestions.size(); ++i) {
    const std::string call = "{ using namespace std; sort(x, x + 2); }";
    text += fmt::format(
        "{0}\n#define B{1} {{}}\n#define S{1} {2}\n#else\n#define B{1} {2}\n"
        "#define S{1} {{}}\n#endif\n",
        kClangsQuestions[i], i, call);
    built.push_back(line());
    text += fmt::format("void built{0}(int* x) B{0}\n", i);
    shown.push_back(line());
    text += fmt::format("void shown{0}(int* x) S{0}\n", i);
  }
  const TreeUses uses = tree_of("a.cc", text, Device::cpu);
  const auto is_sorted = [&](int at) {
    return std::ranges::any_of(
        uses.uses, [&](const TreeUse& use) { return use.name == "std::sort" && use.line == at; });
  };
  for (std::size_t i = 0; i < kClangsQuestions.size(); ++i) {
    EXPECT_TRUE(is_sorted(built[i])) << kClangsQuestions[i];
    EXPECT_FALSE(is_sorted(shown[i])) << kClangsQuestions[i];
  }
}

TEST_F(ConstructsByTree, ADevicesTreeIsOfTheTextThatIsBuilt) {
  for (const Device device : devices())
    for (const std::string question :
         {"#ifdef __clang__", "#if __GNUC__ < 5", "#if '#' == 35 && defined __clang__"}) {
      const auto kernel = [&](const std::string& clang, const std::string& others) {
        return launched("CALL", question + "\n#define CALL " + clang + "\n#else\n#define CALL " +
                                    others + "\n#endif\n");
      };
      const std::string uses = "__shared__ int t[2]; t[0] = *x; *x = t[1]; atomicAdd(x, 1);";
      EXPECT_THAT(broken({no_add, shared}, {{"a.cu", kernel("", uses)}}, device),
                  testing::ElementsAre(HasSubstr("atomicAdd"), ""))
          << question;
      EXPECT_THAT(broken({no_add, shared}, {{"a.cu", kernel(uses, "")}}, device),
                  testing::ElementsAre("", HasSubstr("no __shared__")))
          << question;
    }
  if (!tools.cuda_root) return;
  // nvcc alone has this toolkit's build.
  EXPECT_THAT(broken(no_add,
                     {{"a.cu", launched("add(x);",
                                        "#if __CUDACC_VER_BUILD__ > 0\n#define CALL "
                                        "atomicAdd(p, 1);\n#else\n#define CALL\n#endif\n"
                                        "__device__ void add(int* p) { CALL }")}},
                     Device::cuda),
              HasSubstr("atomicAdd"));
}

TEST_F(ConstructsByTree, HonestQuestionsForTheCompilerAreAnsweredAsInTheBuild) {
  const std::string sorts = "void run(int* x, int n) { std::sort(x, x + n); }\n";
  for (const char* const head :
       {"#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wall\"\n#endif\n",
        "#if defined(__GNUC__) && __GNUC__ >= 8\n#define UNROLL _Pragma(\"GCC unroll 4\")\n#else\n"
        "#define UNROLL\n#endif\nvoid more(int* x) { UNROLL for (int i = 0; i < 8; ++i) x[i] = i; "
        "}\n",
        "#ifdef __GNUC__\n#define RESTRICT __restrict__\n#else\n#define RESTRICT\n#endif\n"
        "void copy(int* RESTRICT a) { *a = 1; }\n",
        "#if __has_include(<optional>)\n#include <optional>\nstd::optional<int> o;\n#endif\n",
        "#include <cfloat>\n#include <climits>\nfloat largest = FLT_MAX; long most = LONG_MIN;\n",
        "#include <cassert>\nvoid check(int n) { assert(n > 0); }\n",
        "#include <cstdio>\n#define CHECK(x) if (!(x)) fprintf(stderr, \"%s:%d\\n\", __FILE__, "
        "__LINE__)\nvoid check(int n) { CHECK(n > 0); }\n",
        "const char* built = __DATE__ \" \" __TIME__ \" \" __VERSION__;\n",
        "#include <immintrin.h>\n__m128 turn(__m128 v) { return _mm_shuffle_ps(v, v, 0x1b); }\n",
        "#include <cstdarg>\nint sum(int n, ...) { va_list l; va_start(l, n); int s = va_arg(l, "
        "int); va_end(l); return s; }\n",
        "#define NDEBUG\n#include <cassert>\nvoid check(int n) { assert(n > 0); }\n",
        "#include <cmath>\n#ifndef M_PI\n#define M_PI 3.14\n#endif\ndouble p = M_PI;\n",
        "#include <vector>\n#define private public\n#include <queue>\n#undef private\n"
        "std::size_t size(std::priority_queue<int>& q) { return q.c.size(); }\n",
        "#include <cstdint>\n#include <limits>\nstd::uint64_t u = UINT64_MAX;\n",
        "#include <complex>\n#include <tuple>\n#include <random>\n#include <thread>\n"
        "auto t = std::make_tuple(1, std::complex<float>(2, 3));\n",
        "#undef major\nint major(int x) { return x; }\n#define one(x) x\nint one = one(1);\n",
        "# 7 \"made.y\"\nvoid generated() {}\n", "#line 100 \"made.l\"\nint line = __LINE__;\n",
        "/* The steps:\n# 1. read\n# 2. sort\n*/\nconst char* help = R\"(\n# 1 \"x\" 3\n)\";\n"}) {
    const std::string text = std::string("#include <algorithm>\n") + head + sorts;
    EXPECT_THAT(broken({{.required = "std::sort"},
                        {.forbidden = "std::stable_sort"},
                        {.forbidden = "std::sort"}},
                       {{"a.cc", text}}, Device::cpu),
                testing::ElementsAre("", "", HasSubstr("the course forbids")))
        << text;
  }
}

// __PRETTY_FUNCTION__ and builtin functions have other values for Clang.
TEST_F(ConstructsByTree, ACompilersOwnConstantsDoNotTellWhatRuns) {
  const std::string head =
      "#include <algorithm>\nconstexpr int length(const char* s) { int n = 0; "
      "while (s[n]) ++n; return n; }\ntemplate <class T> constexpr int spelled() "
      "{ return length(__PRETTY_FUNCTION__); }\n";
  for (const char* const question :
       {"spelled<int>() < 37", "sizeof(__PRETTY_FUNCTION__) < 2", "__builtin_constant_p(*x) == 0",
        "__builtin_strcmp(__VERSION__, \"12\") > 0"})
    EXPECT_THAT(broken({.forbidden = "std::sort"},
                       {{"a.cc", head + "void run(int* x) { if (" + question +
                                     ") { *x = 1; } else { std::sort(x, x + 2); } }\n"}},
                       Device::cpu),
                HasSubstr("the course forbids"))
        << question;
}

TEST_F(ConstructsByTree, ANameOfAnotherFileHidesNothing) {
  const std::string sort = "#include <algorithm>\nvoid help(int* x) { std::sort(x, x + 2); }\n";
  for (const char* const name : {"<built-in>", "<command-line>", "<opgrade>", "usr/include/a.h"})
    EXPECT_THAT(
        broken({.forbidden = "std::sort"},
               {{"a.cc", fmt::format("#include \"{}\"\n", name)}, {name, sort}}, Device::cpu),
        HasSubstr("the course forbids"))
        << name;
  must_have_tree = false;
  EXPECT_THAT(broken({.forbidden = "std::sort"}, {{"a.cc", "#include <random>\n"}, {"cmath", sort}},
                     Device::cpu),
              HasSubstr("the course forbids"))
      << "a header of the library's includes one of the submission's";
}

TEST_F(ConstructsByTree, ALineMarkerThatTellsTheReadingsApartIsRefused) {
  const std::string sort = "#include <algorithm>\nvoid run(int* x) { std::sort(x, x + 2); }\n";
  for (const std::string marker : {"#line 900\n", "# 900 \"/usr/include/stdio.h\" 1 3\n",
                                   "%: 900\n", "/* */ # 900\n", "#li\\\nne 900\n"})
    EXPECT_THAT(broken({.forbidden = "std::sort"},
                       {{"a.cc", "int y;\n" + marker + "#if __LINE__ > 800\n" + sort + "#endif\n"}},
                       Device::cpu),
                HasSubstr("a.cc:2: #line, which can hide code"))
        << marker;
}

// Of what Clang does not read, no word decides that could be another thing.
TEST_F(ConstructsByTree, StaffDecideAboutWhatClangDoesNotRead) {
  must_have_tree = false;
  const std::string unread =
      "#include <algorithm>\n#include <cmath>\nconstexpr float kRoot = std::sqrt(2.0f);\n";
  const ConstructConfig no_sort{.forbidden = "std::sort"}, sort{.required = "std::sort"};
  const std::string by_staff = report::sentence_of(why::ByStaff{});
  const auto with = [&](const char* body) {
    return Files{{"a.cc", unread + "void run(int* x) { " + body + " }\n"}};
  };
  // The tree shows a use in spite of the error.
  EXPECT_EQ(broken(sort, with("std::sort(x, x + 2);"), Device::cpu), "");
  EXPECT_THAT(broken(no_sort, with("using namespace std; sort(x, x + 2);"), Device::cpu),
              HasSubstr("the course forbids"));
  EXPECT_EQ(broken(no_sort, with("*x = 1;"), Device::cpu), "") << "no word of it is there";
  EXPECT_EQ(broken({.forbidden = "<random>"}, with("*x = *x > 1;"), Device::cpu), "");
  EXPECT_THAT(broken(sort, with("*x = 1;"), Device::cpu), HasSubstr("no std::sort"));
  const char* const odd = "constexpr float r = std::sqrt(2.0f); if (r > 9) std::sort(x, x + 2);";
  EXPECT_EQ(broken(sort, with(odd), Device::cpu), "") << "the condition is not known";
  EXPECT_EQ(broken(no_sort, with("int sort = 1; *x = sort;"), Device::cpu), by_staff);
  EXPECT_EQ(broken(sort, with("if (false) std::sort(x, x + 2);"), Device::cpu), by_staff);
  // A function that is a macro for Clang.
  EXPECT_EQ(
      broken(no_sort,
             {{"a.cc",
               "#include <algorithm>\n#include <immintrin.h>\n"
               "static void (_mm_prefetch)(int* x, int) { using namespace std; sort(x, x); }\n"
               "void run(int* x) { _mm_prefetch(x, 3); }\n"}},
             Device::cpu),
      by_staff);
}

TEST_F(Constructs, ARequiredOneMustBeInTheCode) {
  EXPECT_EQ(broken(shared, {{"a.cu", kTile}}), "");
  EXPECT_EQ(broken(shared, {{"a.cu", "#include \"t.h\""}, {"t.h", kTile}}), "");
  EXPECT_EQ(broken(omp, {{"a.cc", "void f() {\n#pragma omp parallel\n{}}"}}, Device::cpu), "");
  EXPECT_EQ(broken(omp, {{"a.cc", "void f() { _Pragma(\"omp parallel\") {} }"}}, Device::cpu), "");
}

TEST_F(Constructs, ARequiredOneCannotBePretended) {
  for (const char* text :
       {"// __shared__", "/*\n__shared__ */", "f(\"__shared__\");", "int my__shared__;",
        "// \\\n__shared__ int x;", "// \\ \n__shared__ int x;",
        "#if 0 && 1\n__shared__ int x;\n#endif", "#define UNUSED __shared__ int x;",
        "#define __shared__\n__shared__ int x;", "auto x = R\"(\n__shared__)\";",
        "#if 0\n__shared__ int x;\n#endif", "int x;\n#define __shared__ int\n"})
    EXPECT_THAT(broken(shared, {{"a.cu", text}}), HasSubstr("no __shared__ in a.cu")) << text;
}

TEST_F(Constructs, AForbiddenOneIsNamedWithItsLine) {
  EXPECT_EQ(broken(no_cub, {{"a.cu", "int cub = 1; // cub::Sum\n"}}), "");
  EXPECT_THAT(broken(no_cub, {{"a.cu", "\n\ncub :: Sum s;"}}), HasSubstr("a.cu:3: cub::"));
  EXPECT_EQ(broken(no_add, {{"a.cu", "atomicAdd_block(p, 1);"}}), "");
  EXPECT_THAT(broken(no_add, {{"a.cu", "\n#include \"t.h\""}, {"t.h", "\natomicAdd(p, 1);"}}),
              HasSubstr("t.h:2"));
}

TEST_F(Constructs, AForbiddenOneCannotBeHidden) {
  for (const char* text :
       {"#if 0 || 1\natomicAdd(p, 1);\n#endif", "double x = 1.e1'0; char c = 'a'; atomicAdd(p, 1);",
        "#define ADD(p) atomic##Add(p, 1)\nADD(p);", "ato\\\nmicAdd(p, 1);",
        "# 1 \"/usr/include/stdio.h\" 1 3\natomicAdd(p, 1);",
        "# /**/ 1 \"/usr/include/stdio.h\" 3\natomicAdd(p, 1);",
        "#line 1 \"/usr/include/stdio.h\"\natomicAdd(p, 1);",
        "#li\\\nne 1 \"/usr/include/stdio.h\"\natomicAdd(p, 1);",
        "%: 1 \"/usr/include/stdio.h\"\natomicAdd(p, 1);",
        "%\\\n: 1 \"/usr/include/stdio.h\"\natomicAdd(p, 1);",
        "atomicAdd(p, 1);\n#define atomicAdd no\n", "#define other(x) #x\natomicAdd(p, other(1));"})
    EXPECT_THAT(broken(no_add, {{"a.cu", text}}), HasSubstr("atomicAdd")) << text;
  // A name that a header of the toolkit's turns into another.
  EXPECT_THAT(broken({.forbidden = "stdin"},
                     {{"a.cc",
                       "#define FILE_NAME\n#include <cstdio>\n#undef stdin\n"
                       "#define stdin standard_in\nint f() { return getc(stdin); }\n"}},
                     Device::cpu),
              HasSubstr("a.cc:5"));
}

TEST_F(Constructs, NvccReadsASourceForTheHostAndForTheDevice) {
  OPGRADE_SKIP_UNLESS("nvcc", tools.cuda_root.has_value(), "no CUDA toolkit");
  EXPECT_EQ(broken(shared, {{"a.cu", kTile}}, Device::cuda), "");
  for (const char* text : {"#ifdef __CUDA_ARCH__\natomicAdd(p, 1);\n#endif",
                           "#ifndef __CUDA_ARCH__\natomicAdd(p, 1);\n#endif"})
    EXPECT_THAT(broken(no_add, {{"a.cu", text}}, Device::cuda), HasSubstr("a.cu:2")) << text;
}

TEST_F(Constructs, SourcesBesideCountWhereTheyMayBeBuilt) {
  EXPECT_EQ(broken(no_add, {{"a.cu", ""}, {"t.h", "atomicAdd(p, 1);"}}), "");
  EXPECT_THAT(broken(no_add, {{"a.cu", ""}, {"b.cu", "atomicAdd(p, 1);"}}), HasSubstr("b.cu:1"));
  EXPECT_EQ(broken(no_add, {{"a.cu", ""}, {"b.cu", "#error\natomicAdd(p, 1);"}}), "");
  EXPECT_THAT(broken(no_add, {{"a.cu", "#include \"missing.h\"\natomicAdd(p, 1);"}}),
              testing::AllOf(HasSubstr("the preprocessor refused it"), HasSubstr("missing.h")));
}

// Its words do not matter: no fault of the machine's is seen in them.
TEST_F(Constructs, WhatThePreprocessorRefusesIsTheSourcesOwn) {
  EXPECT_EQ(broken(no_add, {{"a.cu", "#if '#' != 35\n#error only where it is judged\n#endif"}}),
            "");
  for (const char* text : {"#error Cannot fork", "#error Resource temporarily unavailable"})
    EXPECT_THAT(broken(no_add, {{"a.cu", text}}),
                testing::AllOf(HasSubstr("the preprocessor refused it"), HasSubstr("#error")))
        << text;
}

TEST_F(Constructs, MacrosThatDoubleAreTooLong) {
  std::string text = "#define M0 x x\n";
  for (int i = 1; i < 21; ++i) text += fmt::format("#define M{0} M{1} M{1}\n", i, i - 1);
  EXPECT_THAT(broken(no_add, {{"a.cu", text + "M20"}}), HasSubstr("too long to be searched"));
  EXPECT_EQ(broken(no_add, {{"a.cu", text + "M9"}}), "");
}

TEST_F(Constructs, BlankLinesInFrontAreRead) {
  EXPECT_THAT(broken(no_add, {{"a.cu", std::string(900'000, '\n') + "atomicAdd(p, 1);"}}),
              HasSubstr("a.cu:900001"));
}

TEST(ScoreConstructs, PointsACaseOrTheStage) {
  StageConfig gpu{.name = "gpu", .device = Device::cuda};
  gpu.constructs = {{.required = "__shared__", .points = 3},
                    {.forbidden = "cub::", .case_name = "large"}};
  CaseConfig large;
  large.model = "large";
  large.points = 5;
  gpu.cases = {large};
  const Reason missing = why::ConstructMissing(), forbidden = why::ConstructForbidden();
  BrokenConstructs broken{missing, forbidden};
  StageReport report{.name = "gpu"};
  report.build.outcome = Outcome::passed;
  CaseReport c;
  c.id = "gpu/large";
  c.model = "large";
  c.outcome = Outcome::passed;
  report.cases = {c};
  score_stage(gpu, report, true, {});
  EXPECT_FALSE(refused_construct(gpu, broken));
  score_constructs(gpu, broken, report);
  EXPECT_EQ(report.cases[0].points[0].points, 0);
  EXPECT_TRUE(report.cases[0].points[0].reason.is<why::ConstructForbidden>());
  ASSERT_EQ(report.points.size(), 1u);
  EXPECT_EQ(report.points[0].points, 0);
  EXPECT_EQ(report.points[0].max_points, 3);
  report.points.clear();
  report.cases[0].broken_rule.reset();
  report.cases[0].points[0] = {.points = 5, .max_points = 5};
  score_constructs(gpu, {why::ByStaff(), why::ByStaff()}, report);
  EXPECT_TRUE(report.points.at(0).open) << "neither lost nor earned";
  EXPECT_TRUE(report.cases[0].points[0].open);
  gpu.constructs.push_back({.forbidden = "Sum"});
  broken.emplace_back(forbidden);
  EXPECT_TRUE(refused_construct(gpu, broken));
  gpu.constructs.push_back({.forbidden = "Other"});
  broken = {std::nullopt, std::nullopt, why::ByStaff(), forbidden};
  EXPECT_TRUE(refused_construct(gpu, broken)->is<why::ConstructForbidden>()) << "wherever it is";
  broken.back().reset();
  EXPECT_TRUE(refused_construct(gpu, broken)->is<why::ByStaff>());
}

}  // namespace
}  // namespace opgrade
