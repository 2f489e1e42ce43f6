#include "matrix_product.cu"
#include "product_main.cuh"
