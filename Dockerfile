# The grading machine. Build: docker build -t opgrade .
# Run (the sandbox makes its own namespaces, which Docker's default profile forbids):
#   docker run --rm --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
#     --cgroupns private -v "$PWD/submissions:/in:ro" -v "$PWD/results:/out" \
#     opgrade grade /in/* --out /out
# For GPU stages build on an image with the CUDA toolkit and run with --gpus all:
#   docker build --build-arg BASE=nvidia/cuda:13.0.1-cudnn-devel-debian12 -t opgrade .
ARG BASE=debian:12

FROM ${BASE} AS build
COPY tools/install-packages.sh /opgrade/tools/
RUN /opgrade/tools/install-packages.sh
COPY . /opgrade
WORKDIR /opgrade
RUN cmake -G Ninja -S . -B build -DBUILD_TESTING=OFF -DCMAKE_UNITY_BUILD=ON \
 && cmake --build build && cmake --install build --prefix /opt/opgrade

FROM ${BASE}
COPY tools/install-packages.sh /opgrade/tools/
RUN /opgrade/tools/install-packages.sh && rm -rf /opgrade /var/lib/apt/lists/*
COPY --from=build /opt/opgrade /opt/opgrade
ENV PATH=/opt/opgrade/bin:$PATH OPGRADE_DATA=/var/lib/opgrade
RUN mkdir -p /var/lib/opgrade && for size in 28 48 64 70 72 86; do opgrade data --size $size; done \
 && useradd --create-home grader && chown -R grader /var/lib/opgrade
USER grader
WORKDIR /home/grader
ENTRYPOINT ["opgrade"]
