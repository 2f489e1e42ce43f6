// Words that take code out of the sight of the runs that watch, in every spelling; and words like
// them that honest programs have.
#include "grader/grading/pipeline/hiding_code.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "grader/base/core/temp_dir.hpp"
#include "grader/report/words/reason_words.hpp"
#include "tests/unit/grading/build/compile_fixture.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// With the real preprocessors, in the real sandbox.
class HidingCode : public test::Compile {
 protected:
  /// Why the text is refused as a source for the device; "" if it is not.
  std::string found(const std::string& text, Device device = Device::emulated,
                    bool counted = true) {
    const std::string source = device == Device::cpu ? "a.cc" : "a.cu";
    const TakenFiles taken{".", {{source, text}}};
    folder.emplace("opgrade-test-");
    sandbox->hand_over(folder->path());
    const CompileJob job{find_interface("minidnn-3"), device, {source}, flags, {}, taken, limits};
    const auto read = preprocess(job, {}, tools, *sandbox, folder->path());
    if (!read) return "does not pass the preprocessor";
    const auto why = hides_code(*read, device, counted);
    return why ? report::sentence_of(*why) : "";
  }
  std::string found_on_cpu(const std::string& text) { return found(text, Device::cpu, false); }
};

TEST_F(HidingCode, AnAttributeInEverySpelling) {
  for (const char* text :
       {"__attribute__((no_sanitize(\"thread\"))) void f() {}",
        "__attribute__((__no_sanitize__(\"thread\"), noinline)) void f() {}",
        "__attribute((noinline, no_sanitize_thread)) void f() {}",
        "[[gnu::no_sanitize_address]] void f() {}",
        "[[using gnu: noinline, no_sanitize_thread]] void f() {}",
        "[ [ gnu :: __no_sanitize_undefined__ ] ] void f() {}",
        "[[clang::disable_sanitizer_instrumentation]] void f() {}",
        "__attribute__((no_instrument_function)) void f() {}",
        "#define HIDE __attribute__((no_sanitize(\"thread\")))\nHIDE void f() {}",
        "#define JOIN(a, b) a##b\n__attribute__((JOIN(no_sani, tize)(\"thread\"))) void f() {}",
        "__attri\\\nbute__((no_sanitize(\"thread\"))) void f() {}",
        "int g();\n__attribute__((copy(g))) void f() {}", "__attribute__((naked)) void f() {}",
        "__attribute__((section(\".x\"))) int x;",
        "int g();\n__attribute__((alias(\"g\"))) int f();", "extern int x __attribute__((weak));",
        "# 1 \"/usr/include/stdio.h\" 1 3\n__attribute__((naked)) void f() {}",
        "#line 1 \"/usr/include/stdio.h\"\n__attribute__((naked)) void f() {}"}) {
    EXPECT_THAT(found(text), HasSubstr("can hide code")) << text;
    EXPECT_THAT(found_on_cpu(text), HasSubstr("can hide code")) << text;
  }
  EXPECT_THAT(found("\n\n__attribute__((no_sanitize(\"thread\"))) void f() {}"),
              StartsWith("a.cu:3: __attribute__((no_sanitize)), which can hide code"));
}

TEST_F(HidingCode, APragma) {
  for (const char* text :
       {"#pragma weak x\n", "_Pragma(\"weak x\")\n", "#pragma redefine_extname a b\n",
        "#pragma clang attribute push(__attribute__((annotate(\"x\"))), apply_to = function)\n"}) {
    EXPECT_THAT(found(text), HasSubstr("#pragma")) << text;
    EXPECT_THAT(found_on_cpu(text), HasSubstr("#pragma")) << text;
  }
}

TEST_F(HidingCode, ANameOfTheInstrumentation) {
  for (const char* text :
       {"extern \"C\" void __tsan_read4(void*);", "extern \"C\" void __asan_init() {}",
        "extern \"C\" const char* __ubsan_default_options() { return \"\"; }",
        "void f() { __sanitizer_print_stack_trace(); }", "extern int opgrade_profiler_stop(int);",
        "namespace opgrade_emulation { int x; }", "int _ZN17opgrade_emulation5checkE;",
        "#define NAME(a, b) a##b\nextern \"C\" void NAME(__ts, an_init)();",
        "extern \"C\" void GOMP_barrier() {}",
        "extern \"C\" void AnnotateIgnoreReadsBegin(const char*, int);",
        "#include <dlfcn.h>\nvoid* p = dlsym(nullptr, \"x\");",
        "#include <dlfcn.h>\nvoid* p = dlopen(nullptr, RTLD_NOW);"}) {
    EXPECT_THAT(found(text), HasSubstr("the name")) << text;
    EXPECT_THAT(found_on_cpu(text), HasSubstr("the name")) << text;
  }
  EXPECT_THAT(found("extern int x asm(\"__ts\" \"an_init\");"), HasSubstr("asm(\"__tsan_init\")"));
  EXPECT_THAT(found_on_cpu("extern int x asm(\"y\");"), HasSubstr("asm(\"y\")"));
}

TEST_F(HidingCode, AssemblyOnACpuIsNotWatched) {
  EXPECT_THAT(found_on_cpu("void f(float* p) { asm(\"incl %0\" : \"+m\"(*p)); }"),
              HasSubstr("asm(\"incl %0\")"));
  EXPECT_THAT(found_on_cpu("asm(\".globl f\");"), HasSubstr("asm"));
  for (const char* text :
       {"void f() { asm volatile(\"\" ::: \"memory\"); }", "void f() { asm(\"pause\"); }",
        "void f() { __asm__ __volatile__(\"rep; nop\" ::: \"memory\"); }",
        "unsigned f() { unsigned a, d; asm(\"lfence\\n\\trdtsc\" : \"=a\"(a), \"=d\"(d)); return "
        "a; }",
        "void f() { asm volatile(\"dmb ish\" ::: \"memory\"); asm(\"yield\"); }",
        "long f() { long t; asm volatile(\"isb; mrs %0, cntvct_el0\" : \"=r\"(t)); return t; }",
        "long f() { long t; asm volatile(\"mrs %[t], cntvct_el0\" : [t] \"=r\"(t)); return t; }"})
    EXPECT_EQ(found_on_cpu(text), "") << text;
  for (const char* code : {"%P0", "pause; %P0", "nop\\n%0"})
    EXPECT_THAT(found_on_cpu(fmt::format("void f() {{ asm(\"{}\" :: \"X\"(f)); }}", code)),
                HasSubstr("asm("))
        << "an operand is no instruction";
  EXPECT_THAT(found_on_cpu("void f(long* p) { asm(\"str x0, [%0]\" :: \"r\"(p)); }"),
              HasSubstr("asm(\"str x0, [%0]\")"));
}

TEST_F(HidingCode, WhatChangesCountsAndNoRaces) {
  for (const char* text :
       {"__attribute__((optimize(\"O3\"))) void f() {}", "[[clang::optnone]] void f() {}",
        "typedef float v4 __attribute__((vector_size(16)));", "#pragma GCC optimize(\"O3\")\n",
        "#pragma clang optimize off\n"}) {
    EXPECT_THAT(found(text), HasSubstr("can hide code")) << text;
    EXPECT_EQ(found_on_cpu(text), "") << text;
  }
}

TEST_F(HidingCode, WhatHonestProgramsSay) {
  for (const char* text :
       {"__attribute__((always_inline)) inline void f() {}", "[[maybe_unused]] int x;",
        "[[nodiscard]] int f();", "struct __attribute__((aligned(16))) Four { float x[4]; };",
        "__attribute__((noinline, hot)) void f() {}",
        "__attribute__((target_clones(\"avx2\", \"default\"))) int f() { return 1; }",
        "typedef int other __attribute__((may_alias));",
        "int weak = 1, alias, section, copy, optimize, naked;",
        "int a[2]; int f() { int b[1] = {0}; return a[b[0]]; }",
        "const char* p = \"__tsan_read4 no_sanitize dlsym\";  // __attribute__((weak))\n",
        "#ifdef __SANITIZE_THREAD__\n__attribute__((no_sanitize(\"thread\")))\n#endif\nvoid f() {}",
        "#pragma once\n#pragma GCC diagnostic ignored \"-Wunused\"\n#pragma unroll\nint x;",
        "#pragma GCC push_options\n#pragma GCC pop_options\n#pragma GCC ivdep\n",
        "#include <vector>\n#include <algorithm>\n#include <thread>\n#include "
        "<immintrin.h>\n#include <cmath>\n"}) {
    EXPECT_EQ(found(text), "") << text;
    EXPECT_EQ(found_on_cpu(text), "") << text;
  }
  for (const char* text :
       {"__host__ __device__ int side() {\n#ifdef __CUDA_ARCH__\n  return 1;\n#else\n  return 0;\n"
        "#endif\n}\n",
        "struct S {\n  __device__ __host__ int side() const {\n#if defined(__CUDA_ARCH__)\n"
        "    return 1;\n#endif\n    return 0;\n  }\n};\n",
        "template <class T>\n__host__ __device__ T side(T x) {\n#ifndef __CUDA_ARCH__\n  x += 1;\n"
        "#endif\n  return x;\n}\n",
        "__global__ void __launch_bounds__(256) k(float* x) { asm volatile(\"bar.sync 0;\"); }",
        "__device__ __forceinline__ float f(float x) { return x; }",
        "#include <cuda_fp16.h>\n#include <mma.h>\n__global__ void k(half* x) { *x = __hadd(*x, "
        "*x); }"})
    EXPECT_EQ(found(text), "") << text;
}

TEST(IsWatched, WherePointsDependOnIt) {
  StageConfig stage{.name = "s"};
  EXPECT_FALSE(is_watched(stage, Device::cpu));
  EXPECT_FALSE(is_watched(stage, Device::cuda));
  EXPECT_TRUE(is_watched(stage, Device::emulated));
  stage.counts = {{.model = "low", .count = "launches", .at_most = "1"}};
  EXPECT_TRUE(is_watched(stage, Device::cuda));
  stage.counts.clear();
  stage.flags = {"-O2", "-fopenmp"};
  EXPECT_TRUE(is_watched(stage, Device::cpu));
}

}  // namespace
}  // namespace opgrade
