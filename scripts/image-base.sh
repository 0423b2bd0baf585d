#!/usr/bin/env bash
# Makes a base for the image where no registry answers, of this machine's own files: Node and npm, a shell, what the
# Dockerfile calls, the libraries they are linked to, the authorities it trusts. `scripts/image-base.sh NAME MAJOR`.
# It is for building and trying the image here, not for shipping: its libraries are not kept up to date.
set -euo pipefail
cd "$(dirname "$0")/.."

name=$1
node=$(bash scripts/find-node.sh --print "$2")
npm=$(npm root --global)/npm
container=$(buildah from scratch)
trap 'buildah rm "$container" >/dev/null' EXIT
root=$(buildah mount "$container")

# put PROGRAM PLACE: with its libraries, under the paths by which it loads them.
put() {
  install -D -m 755 "$1" "$root$2"
  ldd "$1" | grep -o '/[^ ]*' | while read -r library; do
    [ -e "$root$library" ] || install -D -m 755 "$library" "$root$library"
  done
}
put "$node" /usr/local/bin/node
put "$(command -v bash)" /usr/bin/bash
for program in env id install ls mkdir rm; do put "$(command -v "$program")" "/usr/bin/$program"; done
ln -s bash "$root/usr/bin/sh"
[ -e "$root/bin" ] || mkdir "$root/bin"
ln -s ../usr/bin/bash "$root/bin/sh"
mkdir -p "$root/usr/local/lib/node_modules"
cp -R "$npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
printf 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\nnode:x:1000:\n' >"$root/etc/group"
install -d -m 1777 "$root/tmp"
install -d -m 700 "$root/root"
install -d -o 1000 -g 1000 "$root/home/node"
buildah umount "$container" >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah commit --quiet --format docker "$container" "$name" >/dev/null
