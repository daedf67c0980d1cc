# One image for every service and for the command; docker-compose.yml says which of them a container runs.
#
#   docker build -t mandate .
#   docker run --rm mandate --help                       the command
#   docker run --entrypoint node mandate services/gateway/src/main.ts
#
# The engine of the embedded audit (chdb) is larger than all the rest. Where the audit is on a ClickHouse server it can be
# left out: docker build --build-arg EMBEDDED_AUDIT=no .

# The same as package.json pins.
ARG NODE_VERSION=24.21.0

# What npm needs to see, and nothing else, so that a change of source installs nothing anew.
FROM node:${NODE_VERSION}-bookworm-slim AS manifests
WORKDIR /mandate
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json -delete

FROM node:${NODE_VERSION}-bookworm-slim AS installed
ARG EMBEDDED_AUDIT=yes
WORKDIR /mandate
COPY --from=manifests /mandate ./
# The command depends on every service, so what it needs is what they need. For a registry of your own:
# --secret id=npmrc,src=$HOME/.npmrc, and --secret id=authorities,src=ca.pem where that names a cafile.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=secret,id=authorities,target=/etc/ssl/certs/ca-certificates.crt \
    --mount=type=cache,target=/root/.npm \
    npm ci --workspace=packages/cli --omit=dev --no-audit --no-fund \
      $([ "$EMBEDDED_AUDIT" = yes ] || echo --omit=optional --ignore-scripts)
# The licences of what was just installed, with their texts.
COPY scripts/third-party.ts scripts/
RUN node scripts/third-party.ts . > THIRD-PARTY

FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production MANDATE_PLANE_DATA_PATH=/data
WORKDIR /mandate
# All that is ever written; a new volume takes over its owner.
RUN install -d -o 1000 -g 1000 -m 700 /data /persons
COPY --from=installed /mandate/node_modules node_modules
COPY --from=installed /mandate/THIRD-PARTY ./
COPY LICENSE ./
COPY package.json ./
COPY schemas schemas
COPY packages packages
COPY services services
COPY infra/clickhouse/migrations infra/clickhouse/migrations
USER 1000:1000
# An image that cannot start is not made.
RUN node services/query/src/main.ts --help >/dev/null && node packages/cli/bin/mandate.mjs --version >/dev/null
VOLUME /data
# No shell and no init in between: SIGTERM reaches Node, which stops in order, and nothing here starts a child.
ENTRYPOINT ["node", "packages/cli/bin/mandate.mjs"]
CMD ["--help"]
