# cranebridge with a C compiler, on the Python and Debian that the tests run on:
#   docker build -t cranebridge .
#   docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" cranebridge run rotary
FROM python:3.11-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheel .

FROM python:3.11-slim-bookworm
# Plants and the solver's kernels are compiled for the machine that runs them.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
COPY requirements.lock /tmp/
COPY --from=build /wheel /tmp/wheel
RUN pip install --no-cache-dir --constraint /tmp/requirements.lock \
        "cranebridge[parquet] @ file://$(ls /tmp/wheel/*.whl)" \
    && rm -r /tmp/wheel /tmp/requirements.lock
RUN useradd --create-home crane && install --directory --owner crane --group crane /work
USER crane
WORKDIR /work
ENTRYPOINT ["cranebridge"]
CMD ["--help"]
