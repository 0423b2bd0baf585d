# Builds and runs Fairlead. No stage needs a secret, and no install script runs.

# The LTS release. `scripts/image.sh` pins it by the digest that the registry answers with, or makes
# one where none answers: --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# A registry of your own is named by a secret, which is in no layer: --secret id=npmrc,src=$HOME/.npmrc
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build-console.mjs scripts/console-sources.mjs scripts/finish-build.mjs scripts/guide-sources.mjs \
  scripts/render-guide.mjs scripts/build-state.mjs ./scripts/
COPY console ./console
COPY docs ./docs
COPY src ./src
RUN npm run build && rm -f dist/.tsbuildinfo dist/.built-from
# The exporter for traces is an optional dependency and stays.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Fairlead" \
  org.opencontainers.image.description="Self-hosted model routing gateway" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 DATA_DIR=/data
WORKDIR /app
# The code belongs to root: the process can read and run it, not change it.
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY catalog ./catalog
RUN install -d -o 1000 -g 1000 -m 700 /data
# By number, so that orchestrators can prove that it is not root.
USER 1000:1000
# The only folder that is written to: docker run --read-only --tmpfs /tmp -v fairlead:/data -p 8787:8787 fairlead
VOLUME /data
EXPOSE 8787
# Asks over a socket of bash: a second Node would take 50 MB and a third of a second, every time.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${FAIRLEAD_HEALTH_PORT:-$PORT} && printf 'GET /health/live HTTP/1.0\\r\\n\\r\\n' >&3 && read -r -t 4 _ status _ <&3 && [ $status = 200 ]"]
# Node itself is process 1: it hears SIGTERM and drains. Give it time: docker stop --time 150.
CMD ["node", "dist/main.js"]
