# syntax=docker/dockerfile:1
#
#   docker build --tag zonewright .                        the program alone, as an unprivileged user
#   docker build --tag zonewright-ci --target ci .         with git, jq and curl, for pipelines
#
# `--base REVISION` runs git, so it needs the second one.

# On Alpine, Rust's own target is musl, so the binary is static.
FROM rust:1.95-alpine AS build
# hadolint ignore=DL3018
RUN apk add --no-cache build-base
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY src ./src
COPY crates ./crates
# Cargo wants every target that Cargo.toml declares.
COPY benches ./benches
COPY examples/embed.rs ./examples/embed.rs
# The files that `zonewright init` writes.
COPY examples/pipelines ./examples/pipelines
# Without the sandbox: a container that holds credentials does not need it.
ARG FEATURES="--no-default-features"
# hadolint ignore=SC2086
RUN cargo build --profile dist --locked --bin zonewright ${FEATURES} \
    && readelf --dynamic target/dist/zonewright >/tmp/dynamic \
    && ! grep -q NEEDED /tmp/dynamic

FROM alpine:3.22 AS ci
# hadolint ignore=DL3018
RUN apk add --no-cache ca-certificates curl git jq \
    && adduser -D -u 65532 zonewright
COPY --from=build /src/target/dist/zonewright /usr/local/bin/zonewright
USER 65532:65532
WORKDIR /work
CMD ["zonewright", "--help"]

FROM gcr.io/distroless/static-debian12:nonroot AS program
COPY --from=build /src/target/dist/zonewright /usr/local/bin/zonewright
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/zonewright"]
CMD ["--help"]
