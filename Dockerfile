# syntax=docker/dockerfile:1
# The service and its command line, as they would be published, with the packages of the lock file that they need at run time:
# no compiler, no tests, no embedded PostgreSQL. docs/deployment.md says how to run it.
#
#   docker build -t jobwarden .
#   docker build -t jobwarden --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… .      pinned, or from a mirror
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.npm npm run --silent build
RUN --mount=type=cache,target=/root/.npm node scripts/assemble.mjs /app

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Jobwarden" \
      org.opencontainers.image.description="Event-sourced reconciliation of background jobs" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# From outside of the container only an address that is not loopback can be reached; without tokens in the policy file the service refuses it.
ENV NODE_ENV=production \
    JOBWARDEN_HTTP_HOST=0.0.0.0
WORKDIR /app
# Of root, who never runs here: the service cannot change itself.
COPY --from=build /app /app
# `docker run … jobwarden jobwarden migrate`, and every other command.
RUN ln -s /app/dist/apps/cli/src/main.js /usr/local/bin/jobwarden
# By number, so that Kubernetes can see that it is not root. Nobody of the base image has it.
USER 10001:10001
EXPOSE 7411
# No `init` is needed: the service handles SIGTERM itself, also as process 1. It writes no file.
# The first module loads OpenTelemetry where OTEL_EXPORTER_OTLP_ENDPOINT is set, before anything that it traces, and else nothing.
ENTRYPOINT []
CMD ["node", "--enable-source-maps", "--max-semi-space-size=32", "--heap-growing-percent=100", "--import=/app/dist/libs/observability/src/tracing-main.js", "/app/dist/apps/server/src/main.js"]
# Ready, and not only alive: what waits for this container waits for its API.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "require('node:http').get({port: process.env.JOBWARDEN_HTTP_PORT || 7411, path: '/readyz'}, (a) => process.exit(a.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
STOPSIGNAL SIGTERM
