// The readers count coverage for the fuzz targets' driver; in other programs nobody counts.
extern "C" __attribute__((weak, visibility("default"))) void __sanitizer_cov_trace_pc() {}
