#include "product_main.cuh"
#include "tiled_product.cu"
