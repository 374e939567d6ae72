# docker build --build-arg COMMIT=$(git rev-parse --short=7 HEAD) --tag maintenance-gateway .
# Settings are environment variables (docs/settings.md). The root filesystem may be read-only: only /data and /tmp are written.

FROM node:24-bookworm-slim AS build
# Any existing file: the schema engine that Prisma would download is not used.
ENV PRISMA_SCHEMA_ENGINE_BINARY=/usr/local/bin/node
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
ARG COMMIT
RUN npm run build && mkdir data

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
ENV HOST=0.0.0.0 DATA_DIR=/data TMPDIR=/tmp MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
COPY --from=build --chown=1000:1000 /app/data /data
USER 1000:1000
VOLUME ["/data"]
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server.js"]
