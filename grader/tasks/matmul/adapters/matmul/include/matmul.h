// Your function computes C = A B, where A is M x K, B is K x N and C is M x N. All three are dense
// and row-major: element (i, j) of C is C[i * N + j].
#pragma once

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K);
