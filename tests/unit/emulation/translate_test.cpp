#include "grader/emulation/translator/translate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "grader/emulation/translator/lexer.hpp"
#include "grader/emulation/translator/merge_sides.hpp"

namespace opgrade::emulation {
namespace {

using testing::HasSubstr;
using testing::Not;

Translation translated(const std::string& body) { return translate("# 1 \"a.cu\"\n" + body, {}); }

/// Without line markers, and with blanks squeezed: what the compiler sees.
std::string squeezed(const std::string& body) {
  std::stringstream in(translated(body).text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# ", 0) != 0) out += line + " ";
  }
  out = std::regex_replace(out, std::regex("\\s+"), " ");
  return std::regex_replace(out, std::regex(" ?([(),;<>]) ?"), "$1");
}

/// "line:column" at which the compiler would see the first occurrence of a word.
std::string place_of(const std::string& text, const std::string& word) {
  std::stringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line); ++number) {
    if (line.rfind("# ", 0) == 0) {
      number = std::stoi(line.substr(2)) - 1;
      continue;
    }
    const std::size_t at = line.find(word);
    if (at != std::string::npos) return std::to_string(number) + ":" + std::to_string(at + 1);
  }
  return "absent";
}

TEST(Launch, becomes_a_configured_call) {
  EXPECT_THAT(squeezed("void f() { k<<<grid, 256>>>(x, y); }"),
              HasSubstr("(::opgrade_emulation::Configuration(\"a.cu\",1,grid,256),k(x,y));"));
}

TEST(Launch, may_have_blanks_in_its_brackets_as_nvcc_takes_it) {
  for (const char* launch : {"k << <grid, 256>> >(x, y);", "k< << grid, 256 > >>(x, y);"}) {
    EXPECT_THAT(squeezed(std::string("void f() { ") + launch + " }"),
                HasSubstr("(::opgrade_emulation::Configuration(\"a.cu\",1,grid,256),k(x,y));"))
        << launch;
  }
}

TEST(Launch, takes_all_four_arguments_and_whatever_stands_in_them) {
  EXPECT_THAT(squeezed("void f() { k<T, 4><<<dim3(a, b), n >> 3, m[g(1, 2)], s>>>(h({1, 2}), "
                       "[&](int i) { return i; }); }"),
              HasSubstr("Configuration(\"a.cu\",1,dim3(a,b),n>>3,m[g(1,2)],s),k<T,4>(h({1,2}),[&]("
                        "int i){ return i;}))"));
}

TEST(Launch, finds_the_whole_name_of_the_kernel) {
  for (const char* callee : {"k", "::k", "a::b::k", "k<1>", "A<int>::k", "k<A<B<int>>>", "(*p)",
                             "p[i]", "o.k", "o->k", "t[1][2]", "f(x)"}) {
    const std::string text =
        squeezed(std::string("void f() { x = 1; ") + callee + "<<<1, 2>>>(y); }");
    EXPECT_THAT(text, HasSubstr("x = 1;(::opgrade_emulation::Configuration(\"a.cu\",1,1,2),"));
    EXPECT_THAT(text, Not(HasSubstr("<<<")));
  }
}

TEST(Launch, is_not_seen_in_texts_and_stream_operators) {
  const std::string body =
      "auto s = \"k<<<1, 2>>>(x)\"; auto r = R\"(k<<<1>>>(x))\"; std::cout << a << (b >> 3);";
  EXPECT_THAT(translated(body).text, HasSubstr(body));
}

TEST(Launch, with_no_arguments_in_brackets_is_refused_at_its_place) {
  const Translation t = translated("void f() {\n  k<<<>>>(x);\n}");
  ASSERT_EQ(t.remarks.size(), 1u);
  EXPECT_EQ(t.remarks[0].kind, Remark::Kind::error);
  EXPECT_EQ(t.remarks[0].line, 2);
  EXPECT_EQ(t.remarks[0].column, 4);
}

TEST(Launch, leaves_every_other_token_where_it_was) {
  const std::string body =
      "void f() {\n  k<<<grid,\n      block>>>(first, second); after();\n  next();\n}";
  const std::string text = translated(body).text;
  EXPECT_EQ(place_of(text, "first"), "3:16");
  EXPECT_EQ(place_of(text, "after"), "3:32");
  EXPECT_EQ(place_of(text, "next"), "4:3");
  EXPECT_EQ(place_of(text, "block"), "3:7");
}

TEST(Kernel, runs_its_body_for_each_thread) {
  const std::string text = squeezed(
      "template <class T> __global__ void __launch_bounds__(256, 2) k(T* a, const int n = 3) { "
      "a[0] = n; }");
  EXPECT_THAT(
      text,
      HasSubstr(
          "static ::opgrade_emulation::Kernel opgrade_kernel_{\"k\",\"a.cu\",1,(int)(256),0};"));
  EXPECT_THAT(text, HasSubstr("begin(&a,&n))return;"));
  EXPECT_THAT(text, HasSubstr("{ a[0] = n;});}"));
  EXPECT_THAT(text, Not(HasSubstr("__global__")));
  EXPECT_THAT(text, Not(HasSubstr("__launch_bounds__")));
}

TEST(Kernel, is_understood_in_every_order_of_its_words) {
  for (const char* head :
       {"__global__ void k(int a)", "static __global__ void k(int a)",
        "__global__ static void k(int a)", "__launch_bounds__(4) __global__ void k(int a)",
        "extern \"C\" __global__ void k(int a)", "__global__ __attribute__((unused)) void k(int a)",
        "template <> __global__ void k<float>(int a)",
        "__global__ std::enable_if_t<(N > 1)> k(int a)"}) {
    EXPECT_THAT(squeezed(std::string(head) + " { a = 1; }"),
                testing::ContainsRegex(
                    "\\{\"k\",\"a.cu\",1[^}]*\\};if\\(!opgrade_kernel_.begin\\(&a\\)\\)"))
        << head;
  }
}

TEST(Kernel, declared_only_is_a_plain_declaration) {
  EXPECT_THAT(squeezed("__global__ void k(float*, int); void f() {}"),
              HasSubstr("void k(float*,int);void f(){}"));
}

TEST(Kernel, parameters_without_a_name_are_passed_over) {
  EXPECT_THAT(squeezed("__global__ void k(float*, const int, S s, void (*)(int)) {}"),
              HasSubstr(".begin((char*)0,(char*)0,&s,(char*)0))"));
  EXPECT_THAT(squeezed("__global__ void k(float*, const int, std::pair<int, int> p) {}"),
              HasSubstr(".begin((char*)0,(char*)0,&p))"));
  EXPECT_THAT(squeezed("__global__ void k(const S, ns::S, float* __restrict__, const struct S, "
                       "const ns::S* __restrict__ p, const __grid_constant__ S s) {}"),
              HasSubstr(".begin((char*)0,(char*)0,(char*)0,(char*)0,&p,&s))"));
}

/// As the front end tells them: the place of each name in the head.
std::string with_parameters(const std::string& body,
                            std::map<std::string, Facts::Parameter> parameters) {
  TranslateOptions options;
  for (const auto& [name, kind] : parameters) options.facts.parameters[{"a.cu", 1, name}] = kind;
  return translate("# 1 \"a.cu\"\n" + body, options).text;
}

TEST(Kernel, has_a_pack_as_a_whole) {
  using enum Facts::Parameter;
  for (const Facts::Parameter kind : {value, has_virtual_functions})
    EXPECT_THAT(with_parameters("template <class... A> __global__ void k(float* o, A... a) {}",
                                {{"o", value}, {"a", kind}}),
                testing::AllOf(HasSubstr("begin()"), HasSubstr("run([=] "), Not(HasSubstr("&a"))));
  for (const char* pack : {"A&... a", "const A& ... a", "A&&... a", "int (&... a)[N]"})
    EXPECT_THAT(with_parameters(std::string("template <class... A> __global__ void k(float& o, ") +
                                    pack + ") {}",
                                {{"o", reference}, {"a", reference}}),
                testing::AllOf(HasSubstr("begin()"), HasSubstr("run([=, &o, &a...] ")));
}

TEST(Kernel, has_its_parameters_guessed_if_the_tree_lacks_them) {
  EXPECT_THAT(with_parameters("__global__ void k(float* o, const int n, const S) {}",
                              {{"another", Facts::Parameter::value}}),
              HasSubstr("begin(&o, &n, (char*)0)"));
}

TEST(Kernel, keeps_the_lines_of_its_body) {
  const std::string text =
      translated("__global__ void k(int a) { one();\n  two(); }\nint three;").text;
  EXPECT_EQ(place_of(text, "one"), "1:28");
  EXPECT_EQ(place_of(text, "two"), "2:3");
  EXPECT_EQ(place_of(text, "three"), "3:5");
}

TEST(Shared, declarations_become_references) {
  const std::string text = squeezed("__global__ void k() { __shared__ float a[N][N + 1], b; }");
  EXPECT_THAT(text, HasSubstr("typedef float opgrade_t_a[N][N + 1],opgrade_t_b;"));
  EXPECT_THAT(text, HasSubstr("opgrade_t_a& a =(*(opgrade_t_a*)opgrade_s_a.address());"));
  EXPECT_THAT(text, HasSubstr("opgrade_t_b& b =(*(opgrade_t_b*)opgrade_s_b.address());"));
}

TEST(Shared, the_dynamic_part_is_one_for_all_names) {
  for (const char* words :
       {"extern __shared__ float s[];", "extern __shared__ __align__(16) float s[];",
        "__shared__ extern float s[];"}) {
    EXPECT_THAT(squeezed(std::string("__global__ void k() { ") + words + " }"),
                HasSubstr("typedef float opgrade_t_s[];opgrade_t_s& s ="
                          "(*(opgrade_t_s*)::opgrade_emulation::dynamic_shared());"))
        << words;
  }
  EXPECT_THAT(squeezed("__global__ void k() { extern volatile __shared__ int s[]; }"),
              HasSubstr("typedef volatile int opgrade_t_s"));
}

TEST(Shared, at_file_scope_is_named_where_it_is_used) {
  const std::string text = squeezed(
      "extern __shared__ float s[]; __device__ int f(int i) { return s[i] + s[0]; } __device__ int "
      "g() { return x.s; }");
  EXPECT_THAT(text, HasSubstr("typedef float opgrade_t_s[];int f(int i){ opgrade_t_s& s ="));
  EXPECT_THAT(text, HasSubstr("int g(){ return x.s;}"));
}

TEST(Shared, at_file_scope_hides_no_parameter_and_no_local_variable) {
  const std::string shared = "__shared__ float s[4]; ";
  for (const char* function :
       {"__device__ int f(volatile int* s) { return s[0]; }", "int g() { int s = 1; return s; }",
        "__global__ void k(int* p) { unsigned s[2]; *p = s[1]; }",
        "__global__ void k(int* p) { __shared__ int s; *p = s; }"})
    EXPECT_THAT(squeezed(shared + function), Not(HasSubstr("{ opgrade_t_s& s"))) << function;
  EXPECT_THAT(squeezed(shared + "__global__ void k(int* p) { p[0] = s[1] * s[2]; }"),
              HasSubstr("{ opgrade_t_s& s"));
}

TEST(Shared, at_file_scope_is_the_name_in_an_expression_that_looks_like_a_declaration) {
  for (const char* statement :
       {"for (int i = 0; i < s; ++i) x += i;", "return no ? 0 : x * s[1];", "return x * s[1] + 1;",
        "float a[2] = {x * s[0], 1};", "if (i < x && x > s[0]) return 1;", "case 1: x = s[0];",
        "call(x * s[0], s);", "for (i = 0; x * s[i]; ++i) ;", "{ float s = 1; } return s[0];",
        "for (float s : all) x += s; return s[0];", "if (int s = x; s > 1) return s[0];"})
    EXPECT_THAT(squeezed("__shared__ float s[4]; __device__ int f(int x) { " +
                         std::string(statement) + " }"),
                HasSubstr("{ opgrade_t_s& s"))
        << statement;
}

TEST(Shared, at_file_scope_is_hidden_by_each_form_of_a_declaration) {
  for (const char* statement :
       {"float a = 0, s = 1;", "float a = 0, *s = x;", "float a{1}, s[2];",
        "float a[2] = {1}, s(2);", "float (*s)[8] = x;", "std::array<float, 4> s{};",
        "const float& s = *x;", "float* s = x;", "unsigned long s = 1;", "a::b<int>::c s;",
        "auto s = x;"})
    EXPECT_THAT(squeezed("__shared__ float s[4]; __device__ int f(int* x) { " +
                         std::string(statement) + " return s[0]; }"),
                Not(HasSubstr("{ opgrade_t_s& s")))
        << statement;
}

TEST(Shared, at_file_scope_is_hidden_by_a_member) {
  const std::string method = "__device__ float get(int i) const { return s[i]; }";
  for (const auto& type :
       {"struct A { float* s; " + method + " };", "struct A { " + method + " int a, s[4]; };",
        "template <class T> class A { T s; " + method + " };"})
    EXPECT_THAT(squeezed("extern __shared__ float s[]; " + type),
                Not(HasSubstr("{ opgrade_t_s& s")))
        << type;
  EXPECT_THAT(squeezed("extern __shared__ float s[]; struct A { float* t; " + method + " };"),
              HasSubstr("{ opgrade_t_s& s"));
}

TEST(Shared, at_file_scope_has_a_size_and_a_type_in_host_code) {
  for (const char* use : {"sizeof(s)", "sizeof s", "sizeof(s[0])", "alignof(s)", "decltype(s[0])"})
    EXPECT_THAT(
        squeezed("__shared__ float s[4]; int f() { return g<" + std::string(use) + ">(); }"),
        HasSubstr("{ extern opgrade_t_s s;"))
        << use;
}

TEST(Shared, is_used_in_a_lambda_without_a_capture) {
  const auto body = [](const std::string& lambda) {
    return squeezed("__global__ void k(int* p) { __shared__ int s[4]; " + lambda + " }");
  };
  const auto storage = HasSubstr("(*(opgrade_t_s*)opgrade_s_s.address())[");
  for (const char* lambda :
       {"auto f = [=](int i) { return s[i]; };", "p[0] = [] { return s[1]; }();",
        "auto f = [&](int i) mutable -> int { return s[i]; };",
        "if (p) { auto f = [=] { return s[0]; }; }", "struct A { int f() { return s[0]; } };"})
    EXPECT_THAT(body(lambda), storage) << lambda;
  for (const char* other :
       {"p[s[0]] = s[1];", "auto f = [=](int* s) { return s[0]; };",
        "auto f = [=](A a) { return a.s[0]; };", "{ int s[1]; auto f = [=] { return s[0]; }; }",
        "auto f = [=] { int s[2] = {}; return s[0]; };"})
    EXPECT_THAT(body(other), Not(storage)) << other;
}

TEST(Shared, is_used_in_a_lambda_that_names_it_outside_of_its_body) {
  const auto body = [](const std::string& lambda) {
    return squeezed("__global__ void k(int* p) { __shared__ int s[4]; " + lambda + " }");
  };
  const auto storage = HasSubstr("return(*(opgrade_t_s*)opgrade_s_s.address())[");
  for (const char* lambda : {"auto f = [own = s[0]] { return s[1]; };",
                             "auto f = [](int i) -> decltype(s[0]) { return s[i]; };"})
    EXPECT_THAT(std::regex_replace(body(lambda), std::regex("return \\("), "return("), storage)
        << lambda;
  for (const char* lambda :
       {"auto f = [s = 1] { return s; };", "auto f = [a, &s = *p] { return s; };",
        "auto f = [](const int (&a)[4], int* s) { return s[0]; };",
        "struct A { int f() { return s; } int s; };"})
    EXPECT_THAT(body(lambda), Not(HasSubstr("return (*(opgrade_t_s*)"))) << lambda;
}

TEST(Shared, declaration_over_lines_keeps_their_numbers) {
  const std::string text =
      translated("__global__ void k() {\n  __shared__ float a[4]\n      [8];\n  after();\n}").text;
  EXPECT_EQ(place_of(text, "after"), "4:3");
}

TEST(Variables, are_registered_and_local_to_their_file) {
  EXPECT_THAT(squeezed("__constant__ float w[4] = {1}, v;"),
              HasSubstr("static float w[4] = {1},v;static ::opgrade_emulation::Symbol "
                        "opgrade_symbol_w{(const void*)&w,sizeof(w),\"w\","));
  EXPECT_THAT(squeezed("static __device__ int n;"), HasSubstr("SymbolKind::device"));
  EXPECT_THAT(squeezed("__device__ __managed__ int n;"), HasSubstr("SymbolKind::managed"));
}

TEST(Variables, functions_and_members_are_none) {
  EXPECT_THAT(
      squeezed("__device__ float f(float x = 1.0f); struct S { __device__ int g(); int n; };"),
      Not(HasSubstr("Symbol")));
  EXPECT_THAT(squeezed("inline void f(int a, bool b = true) { if (b) exit(a); } __host__ "
                       "__device__ int g() { return 1; }"),
              Not(HasSubstr("static")));
}

TEST(Words, become_attributes_or_blanks) {
  EXPECT_THAT(squeezed("__forceinline__ __device__ int f();"),
              HasSubstr("inline __attribute__((always_inline))int f();"));
  EXPECT_THAT(squeezed("__device__ __forceinline__ inline int f();"),
              Not(HasSubstr("inline inline")));
  EXPECT_THAT(squeezed("struct __align__(16) S { int a; };"),
              HasSubstr("struct __attribute__((aligned(16)))S"));
  EXPECT_THAT(squeezed("auto f = [=] __device__ (int i) { return i; };"), HasSubstr("[=](int i)"));
  EXPECT_THAT(squeezed("void f() __attribute__((__noinline__));"), HasSubstr("((__noinline__))"));
}

TEST(Ptx, is_a_warning_at_its_line_and_a_stop) {
  const Translation t = translated(
      "__device__ int f() {\n  int r;\n  asm volatile (\"mov;\" : \"=r\"(r));\n  return r;\n}");
  ASSERT_EQ(t.remarks.size(), 1u);
  EXPECT_EQ(t.remarks[0].kind, Remark::Kind::warning);
  EXPECT_EQ(t.remarks[0].line, 3);
  EXPECT_THAT(t.remarks[0].text, HasSubstr("not emulated: inline PTX at line 3"));
  EXPECT_THAT(t.text, HasSubstr("::opgrade_emulation::inline_ptx(\"a.cu\", 3)"));
}

TEST(Ptx, that_is_empty_is_a_compiler_barrier) {
  const Translation t =
      translated("void f(int r) { asm volatile(\"\" : \"+r\"(r) :: \"memory\"); }");
  EXPECT_TRUE(t.remarks.empty());
  EXPECT_THAT(t.text, HasSubstr("asm volatile(\"\" ::: \"memory\")"));
}

TEST(Ptx, that_is_emulated_is_a_call) {
  const std::string text = squeezed(
      "void f() { asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\\n\" :: \"r\"(s), "
      "\"l\"(p + 1)); }");
  EXPECT_THAT(text, HasSubstr("::opgrade_emulation::ptx::cp_async("));
  EXPECT_THAT(text, HasSubstr("16)"));
  EXPECT_THAT(text, HasSubstr("p + 1"));
  EXPECT_THAT(squeezed("void f() { asm(\"cp.async.commit_group; cp.async.wait_group 2;\"); }"),
              HasSubstr("cp_async_commit(),::opgrade_emulation::ptx::cp_async_wait(2)"));
}

TEST(Ptx, that_is_emulated_in_part_is_a_stop) {
  for (const char* code : {"cp.async.commit_group; bar.sync 0;", "cp.async.wait_group N;",
                           "cvt.rna.tf32.f32 %0, %7;", "cvt.rna.tf32.f32 %0;"}) {
    const Translation t = translated("void f() { asm volatile(\"" + std::string(code) +
                                     "\" : \"=r\"(r) : \"f\"(x)); }");
    EXPECT_THAT(t.text, HasSubstr("::opgrade_emulation::inline_ptx(")) << code;
  }
}

TEST(Heap, is_that_of_the_device_in_device_functions_alone) {
  const std::string body = "{ p = malloc(8); std::free(p); q = new int[3]; delete[] q; delete r; }";
  EXPECT_THAT(translated("void f() " + body).text, HasSubstr(body));
  const std::string text = squeezed("__device__ void f() " + body);
  EXPECT_THAT(text, HasSubstr("p = ::opgrade_emulation::heap_malloc(8);"));
  EXPECT_THAT(text, HasSubstr("::opgrade_emulation::heap_free(p);"));
  EXPECT_THAT(text, HasSubstr("new(::opgrade_emulation::DeviceHeap())int[3];"));
  EXPECT_THAT(text, HasSubstr("::opgrade_emulation::HeapArray()= q;"));
  EXPECT_THAT(text, HasSubstr("::opgrade_emulation::HeapObject()= r;"));
}

TEST(Heap, leaves_placement_deleted_functions_and_members_alone) {
  const std::string body =
      "{ struct S { S(S&) = delete; }; new (p) int; pool.free(p); mine::malloc(8); }";
  EXPECT_THAT(translated("__device__ void f() " + body).text, HasSubstr(body));
}

TEST(Translate, leaves_plain_code_alone) {
  const std::string body = "#pragma once\nint main() { return a < b ? c >> 2 : d < e > f; }\n";
  EXPECT_EQ(translated(body).text, "# 1 \"a.cu\"\n" + body);
}

TEST(Translate, bears_code_that_does_not_compile) {
  for (const char* body :
       {"__global__", "__global__ void k(", "__shared__", "k<<<", "k<<<1,2>>>", "}}}", "((((",
        "__shared__ float", "__global__ void k() { __shared__ float a[ }", "<<<1,1>>>(x)",
        "__device__ =", "asm(", "\"", "R\"("}) {
    translated(body);
  }
}

TEST(Shared, keeps_the_operators_of_its_bounds_and_types) {
  for (const char* declared :
       {"float {}[B << 1]", "float {}[B >> 1]", "float {}[B<<1]", "float {}[A <= B ? A : B]",
        "float {}[A >= B]", "float {}[A == B]", "float {}[A != B]", "float {}[A && B || C]",
        "float {}[- --a]", "float {}[larger<A, B>::v << 1]", "Row<float, 1 << 3> {}",
        "Row<float, (B >> 3)> {}[2]", "Row<float, (A <= B)> {}", "Row<float, A <= B> {}",
        "Row<float, A >= B> {}", "Row<Row<float, 2>> {}[1 << 1]", "decltype(1 << 1) {}[2]"}) {
    const auto named = [&](const std::string& name) {
      std::string text = declared;
      return text.replace(text.find("{}"), 2, name);
    };
    // Blanks between two operators of one character make no difference.
    const auto squeeze = [](const std::string& text) {
      return std::regex_replace(text, std::regex(" ?([(),;\\[\\]]) ?"), "$1");
    };
    EXPECT_THAT(squeeze(translated("__global__ void k() { __shared__ " + named("t") + "; }").text),
                HasSubstr(squeeze("typedef " + named("opgrade_t_t") + ";")))
        << declared;
  }
}

TEST(Shared, may_have_an_attribute) {
  EXPECT_THAT(squeezed("__global__ void k() { [[maybe_unused]] __shared__ float t[4]; }"),
              HasSubstr("opgrade_t_t"));
}

TEST(Launch, finds_a_kernel_whose_template_arguments_shift_and_compare) {
  for (const char* callee : {"k<1 << 2>", "k<(8 >> 1)>", "k<A <= B>", "k<A >= B>", "k<4 < 8>",
                             "k<B<1 << 2>>", "a::k<int, 1 << 2>"}) {
    EXPECT_THAT(squeezed(std::string("void f() { x = 1; ") + callee + "<<<1, 2>>>(y); }"),
                HasSubstr("x = 1;(::opgrade_emulation::Configuration(\"a.cu\",1,1,2),"))
        << callee;
  }
}

TEST(Counting, numbers_rounds_and_operations_of_device_code) {
  TranslateOptions options;
  options.count = true;
  const std::string source =
      "# 1 \"a.cu\"\n__device__ float f(const float* a, int n) {\n  float s = 0;\n"
      "  for (int i = 0; i < n; ++i)\n    s += a[i] *\n        a[i + 1];\n  return s;\n}\n"
      "float g(float x) { return x * x; }\n";
  const std::string text = translate(source, options).text;
  EXPECT_NE(text.find("for (::opgrade_emulation::Loop"), std::string::npos);
  EXPECT_NE(text.find("Arithmetic::fused>() +="), std::string::npos);
  EXPECT_NE(text.find("Arithmetic::multiply>() *"), std::string::npos);
  EXPECT_EQ(text.find("i ::opgrade"), std::string::npos) << "an index is no arithmetic";
  EXPECT_NE(text.find("return x * x"), std::string::npos) << "host code stays";
  EXPECT_EQ(translate(source, {}).text.find("opgrade_loop_"), std::string::npos);
}

/// The counted text of a device function's body.
std::string counted(const std::string& body, std::set<std::pair<std::string, int>> uncounted = {}) {
  TranslateOptions options;
  options.count = true;
  options.uncounted = std::move(uncounted);
  return translate("# 1 \"a.cu\"\n__device__ void f() {\n" + body + "\n}\n", options).text;
}

TEST(Counting, takes_no_declaration_for_a_product) {
  for (const char* body : {"volatile T* p = q;", "n::T* p = q;", "const n::T *p = q;", "T& r = q;",
                           "if (T* p = q) r = p;", "typename V::T* p = q;"})
    EXPECT_EQ(counted(body).find("Arithmetic::"), std::string::npos) << body;
  EXPECT_NE(counted("x = a ? b : c * d;").find("Arithmetic::multiply"), std::string::npos);
}

TEST(Counting, keeps_a_value_that_is_no_call) {
  for (const char* body : {"p[0] = 0;", "char s[] = \"x\";", "auto [a, b] = g();"})
    EXPECT_EQ(counted(body).find("Result()"), std::string::npos) << body;
  EXPECT_NE(counted("p[0] = g();").find("Result() += "), std::string::npos);
}

TEST(Counting, takes_a_call_of_fma_for_an_operation) {
  for (const char* body : {"x = fma(a, b, c);", "x = ::fmaf(a, b, c);", "x = std::fma(a, b, c);"})
    EXPECT_NE(counted(body).find("Arithmetic::fma"), std::string::npos) << body;
  for (const char* body : {"x = mine::fma(a, b, c);", "x = a.fma(b, c);", "x = fma;"})
    EXPECT_EQ(counted(body).find("Arithmetic::fma"), std::string::npos) << body;
}

TEST(Counting, closes_what_it_opens_before_a_variable_that_is_replaced) {
  const std::string text = translate(
                               "# 1 \"a.cu\"\n__global__ void k(int* p) { __shared__ int n; "
                               "auto f = [&] { while (n > 0) ++p; return 1+n; }; }",
                               {.count = true})
                               .text;
  EXPECT_EQ(std::ranges::count(text, '('), std::ranges::count(text, ')')) << text;
}

TEST(Counting, numbers_rounds_of_each_loop) {
  EXPECT_NE(counted("while (T x = g()) h(x);").find("T x =(opgrade_loop_.next(), "),
            std::string::npos);
  EXPECT_NE(counted("while (x = g()) h(x);").find("opgrade_loop_.next() && ("), std::string::npos);
  EXPECT_NE(counted("for (auto x : list) h(x);").find("if (!opgrade_loop_.next())"),
            std::string::npos);
  for (const char* bound : {"N", "N >> 1", "2 * N - 1"}) {
    EXPECT_THAT(counted("for (int i = 0; i < " + std::string(bound) + "; ++i) g(i);"),
                HasSubstr("__builtin_constant_p(" + std::string(bound) + ")"));
  }
}

TEST(Counting, leaves_a_line_as_it_is_and_says_so) {
  const std::string text = counted("x = a * b;\ny = c * d;", {{"a.cu", 2}});
  EXPECT_NE(text.find("a * b"), std::string::npos);
  EXPECT_EQ(text.find("c * d"), std::string::npos);
  EXPECT_NE(text.find("Uncounted opgrade_uncounted_1(\"a.cu\", 2)"), std::string::npos);
}

// A student's text may stop anywhere, and lack any word: each pass looks at tokens before and after
// its own.
TEST(Translation, stays_within_a_text_that_ends_or_lacks_a_token_anywhere) {
  const std::string whole = R"(# 1 "a.cu"
template <int N> __global__ void __launch_bounds__(N, 2) k(float* p, const float4& q, int n);
__constant__ float c[3] = {1, 2, 3}; __device__ __managed__ int d; extern __shared__ int dynamic[];
__host__ __device__ __forceinline__ int both(int a) { return a * 2 + (a ? 1 : 2); }
template <int N> __global__ void __launch_bounds__(N, 2) k(float* p, const float4& q, int n) {
  __shared__ float t[16][17], u; extern __shared__ int s[]; static int calls; int* h = new int[4];
  asm volatile("mov.u32 %0, %laneid;" : "=r"(n) : "r"(d) : "memory"); asm volatile("" ::: "memory");
  #pragma unroll
  for (int i = 0; i < n; ++i) { if (float* r = p) t[i][0] += fmaf(*r, q.x, -u) * 2.0f; else continue; }
  do n -= __hadd(__hmul(n, n), n); while (n > 0);
  while (n < 3) n = both(n); delete[] h; free(malloc(4)); p[0] = both(n);
}
int main() { auto f = k<4>; f<<<dim3(1, 2), 32, 4 * sizeof(int), 0>>>(0, {}, 3); k<4> << <1, 1>> >(0, {}, c[1]); }
)";
  const std::vector<Token> tokens = lex(whole, "/none").tokens;
  ASSERT_GT(tokens.size(), 300u);
  for (const Token& token : tokens) {
    const std::string cut = whole.substr(0, token.end());
    const std::string without = whole.substr(0, token.offset) + whole.substr(token.end());
    for (const std::string& text : {cut, without}) {
      for (const bool count : {false, true})
        EXPECT_FALSE(translate(text, {.own_headers = "/none", .count = count}).text.empty());
      EXPECT_FALSE(merge_sides(whole, text, "/none").text.empty());
      EXPECT_FALSE(merge_sides(text, whole, "/none").text.empty());
    }
  }
}

}  // namespace
}  // namespace opgrade::emulation
