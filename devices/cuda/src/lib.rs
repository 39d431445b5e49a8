//! NVIDIA's GPUs: memory, streams and kernels that are compiled at run time, and a device that decompresses pages.
