# Builds and runs Fairlead. No stage needs a secret, and no install script runs.

# The LTS release. `scripts/image.sh` pins it by the digest that the registry answers with: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/finish-build.mjs scripts/sources-state.mjs ./scripts/
COPY src ./src
RUN npm run build && rm -f dist/.tsbuildinfo dist/.built-from
# The exporter for traces is an optional dependency and stays.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 DATA_DIR=/data
WORKDIR /app
# The code belongs to root: the process can read and run it, not change it.
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY catalog ./catalog
RUN install -d -o node -g node -m 700 /data
# By number, so that orchestrators can prove that it is not root.
USER 1000:1000
# The only folder that is written to: docker run --read-only --tmpfs /tmp -v fairlead:/data -p 8787:8787 fairlead
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8787}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1: it hears SIGTERM and drains. Give it time: docker stop --time 150.
CMD ["node", "dist/main.js"]
