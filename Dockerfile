# Memory Appliance: the one image that every service of docker-compose.yml runs.
# The first stage has a compiler (llama.cpp comes as source), the second only what runs. amd64 and arm64.

# A tag, no digest: security fixes of the base arrive with the next build, on either architecture. To pin harder, set
# BASE_IMAGE=python:3.11-slim-bookworm@sha256:… in .env.
ARG BASE_IMAGE=python:3.11-slim-bookworm

FROM ${BASE_IMAGE} AS builder
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# Only what the set-up needs: a changed line of the server's own code compiles nothing anew.
COPY pyproject.toml uv.lock ./
COPY scripts scripts
COPY memory_appliance/__init__.py memory_appliance/__init__.py
COPY memory_appliance/boot/__init__.py memory_appliance/boot/say.py memory_appliance/boot/
COPY memory_appliance/launch/__init__.py memory_appliance/launch/models_setup.py \
    memory_appliance/launch/documents_setup.py memory_appliance/launch/uv.py memory_appliance/launch/
# More flags for llama.cpp, such as -DGGML_CPU_ARM_ARCH=armv8.2-a+dotprod on a Raspberry Pi 5 (docs/install.md).
ARG LLAMA_CMAKE_ARGS=
RUN --mount=type=cache,target=/root/.cache/uv \
    CMAKE_ARGS="${LLAMA_CMAKE_ARGS}" UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy PYTHONDONTWRITEBYTECODE=1 \
    python -m memory_appliance.launch.models_setup
# The converter for PDF, Word, PowerPoint, HTML, EPUB and e-mail (docs/documents.md): 100 MB, only where DOCUMENTS is set.
ARG DOCUMENTS=
RUN --mount=type=cache,target=/root/.cache/uv \
    test -z "${DOCUMENTS}" || UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy PYTHONDONTWRITEBYTECODE=1 \
    python -m memory_appliance.launch.documents_setup
COPY . /source
RUN .venv/bin/python -m compileall -q -s /source -p /app /source

FROM ${BASE_IMAGE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 libstdc++6 ca-certificates \
    && rm -rf /var/lib/apt/lists/*
# The user's number is that of the first person on most machines, so that folders of theirs can be given to the server.
ARG MEMORY_UID=1000
RUN groupadd --gid "${MEMORY_UID}" memory \
    && useradd --uid "${MEMORY_UID}" --gid memory --no-create-home --home-dir /tmp --shell /usr/sbin/nologin memory \
    && install -d -o memory -g memory -m 700 /data /data/tmp /local /local/tmp /backups \
    && install -d -o memory -g memory -m 700 /keys \
    && install -d -o memory -g memory -m 755 /password
WORKDIR /app
COPY --from=builder /app/.venv .venv
COPY --from=builder /source ./
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    TMPDIR=/data/tmp \
    MEMORY_DATA_DIR=/data \
    MEMORY_HOST=0.0.0.0 \
    MEMORY_PORT=8765
USER memory
VOLUME ["/data", "/backups"]
EXPOSE 8765
ENTRYPOINT ["python", "-m", "memory_appliance.launch.one"]
CMD ["web"]
