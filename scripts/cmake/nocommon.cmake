# llama-cpp-python puts LLAMA_BUILD_COMMON=ON into CMake's cache; a normal variable set at project() time wins.
# Without the common library the build takes 83 steps instead of 193, and nothing we call is missing.
set(LLAMA_BUILD_COMMON OFF)
