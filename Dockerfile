# The grading machine, from opgrade's own .deb. Build: docker build -t opgrade . (or podman)
# Run. The sandbox makes namespaces, which the default seccomp profile forbids, and mounts a /proc, which
# masked system paths forbid. Without these flags opgrade grades in the tier "no user namespaces":
#   docker run --rm --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
#     --security-opt systempaths=unconfined --cgroupns private -v "$PWD/submissions:/in:ro" -v "$PWD/results:/out" \
#     --entrypoint sh opgrade -c 'opgrade grade /in/* --out /out'
# The user `grader` (1000) must be able to write the results.
# For GPU stages build on an image with the CUDA toolkit and run with --gpus all:
#   docker build --build-arg BASE=nvidia/cuda:13.0.1-cudnn-devel-debian12 -t opgrade .
# BASE may also be an image made from a folder: docs/install.md.
ARG BASE=debian:12

FROM ${BASE} AS build
COPY tools/install-packages.sh /opgrade/tools/
RUN /opgrade/tools/install-packages.sh && apt-get install -y -qq --no-install-recommends dpkg-dev file
COPY . /opgrade
WORKDIR /opgrade
RUN cmake -G Ninja -S . -B build -DBUILD_TESTING=OFF -DCMAKE_UNITY_BUILD=ON \
 && cmake --build build --target opgrade-installed
RUN cpack --config build/CPackConfig.cmake -B /package

FROM ${BASE}
COPY --from=build /package/opgrade_*.deb /tmp/
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/opgrade_*.deb \
 && rm -rf /tmp/opgrade_*.deb /var/lib/apt/lists/*
ENV OPGRADE_DATA=/var/lib/opgrade
RUN for size in 28 48 64 70 72 86; do opgrade data --size $size; done \
 && useradd --create-home grader && chown -R grader /var/lib/opgrade
USER grader
WORKDIR /home/grader
ENTRYPOINT ["opgrade"]
