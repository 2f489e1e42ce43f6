// Adapter for the CPU function of 2020fa, which later terms kept.
#include "../minidnn-3/cpu.cpp"
