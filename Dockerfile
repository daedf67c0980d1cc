# One image for all services and for the command `mandate`. docker-compose.yml says what each container runs.
#
#   docker build -t mandate .
#   docker run --rm mandate --help                       the command
#   docker run --entrypoint node mandate services/gateway/src/main.ts
#
# The engine of the embedded audit (chdb) is larger than all other parts. If the audit is on a ClickHouse server, leave the
# engine out: docker build --build-arg EMBEDDED_AUDIT=no .

# The same version as in package.json.
ARG NODE_VERSION=24.21.0

# These are the only files that npm needs. So a change of the source does not repeat the installation.
FROM node:${NODE_VERSION}-bookworm-slim AS manifests
WORKDIR /mandate
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json -delete

FROM node:${NODE_VERSION}-bookworm-slim AS installed
ARG EMBEDDED_AUDIT=yes
WORKDIR /mandate
COPY --from=manifests /mandate ./
# The command depends on every service, so this installs the dependencies of all services. For your own registry, add
# --secret id=npmrc,src=$HOME/.npmrc. If that file names a cafile, add --secret id=authorities,src=ca.pem too.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=secret,id=authorities,target=/etc/ssl/certs/ca-certificates.crt \
    --mount=type=cache,target=/root/.npm \
    npm ci --workspace=packages/cli --omit=dev --no-audit --no-fund \
      $([ "$EMBEDDED_AUDIT" = yes ] || echo --omit=optional --ignore-scripts)
# The licences of the installed packages, with their texts.
COPY scripts/third-party.ts scripts/
RUN node scripts/third-party.ts . > THIRD-PARTY

# The pages of the console are built with libraries that nothing needs later.
FROM node:${NODE_VERSION}-bookworm-slim AS console
WORKDIR /mandate
COPY --from=manifests /mandate ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=secret,id=authorities,target=/etc/ssl/certs/ca-certificates.crt \
    --mount=type=cache,target=/root/.npm \
    npm ci --workspace=packages/console --include-workspace-root --no-audit --no-fund --ignore-scripts
COPY schemas schemas
COPY packages packages
COPY scripts scripts
COPY tsconfig.json ./
RUN node scripts/build-console.ts

FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production MANDATE_PLANE_DATA_PATH=/data
WORKDIR /mandate
# The programs write only to these folders. A new volume gets the owner of its folder.
RUN install -d -o 1000 -g 1000 -m 700 /data /persons
COPY --from=installed /mandate/node_modules node_modules
COPY --from=installed /mandate/THIRD-PARTY ./
COPY LICENSE ./
COPY package.json ./
COPY schemas schemas
COPY packages packages
COPY services services
COPY --from=console /mandate/packages/console/dist packages/console/dist
COPY infra/clickhouse/migrations infra/clickhouse/migrations
USER 1000:1000
# The build fails if the programs cannot start.
RUN node services/query/src/main.ts --help >/dev/null && node packages/cli/bin/mandate.mjs --version >/dev/null
VOLUME /data
# There is no shell and no init process, so Node itself gets SIGTERM and stops its parts in order.
ENTRYPOINT ["node", "packages/cli/bin/mandate.mjs"]
CMD ["--help"]
