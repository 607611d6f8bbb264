#!/bin/sh
# Builds build/random_cpp. On Debian it needs:
#   apt-get install g++ cmake make libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
set -e
cd "$(dirname "$0")"

# The arena says where the .proto files are; in its repository they are two folders up. The copy is for the day when this
# folder is taken elsewhere.
source="${ARENA_PROTOS:-../../protos}"
if [ -d "$source/arena" ]; then
    rm -rf protos
    mkdir protos
    cp -Rp "$source/arena" protos
fi

# A build folder that was made somewhere else is of no use to cmake.
if [ -f build/CMakeCache.txt ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" build/CMakeCache.txt; then
    rm -rf build
fi

cmake -S . -B build
cmake --build build --parallel
