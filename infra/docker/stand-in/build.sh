#!/bin/sh
# Builds images with the names in docker-compose.yml and Dockerfile, for a machine that cannot pull images. The images
# contain Debian's packages, Kafka's jars and the npm packages `node` and `chdb`. Their start scripts understand the settings
# of docker-compose.yml. Use these images to try the compose file and the tests, not for real data.
#
# usage: sh infra/docker/stand-in/build.sh [node|redis|kafka|clickhouse]...
# On Debian, as root, after npm ci; needs docker, java and maven.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the image with this name in docker-compose.yml, with its version.
named() { sed -n "s|^ *image: *\($1:[^ ]*\)$|\1|p" "$root/docker-compose.yml" | head -n 1; }

# Unpacks Debian packages and their dependencies into a root file system, without configuring them.
debian() {
  into=$1
  shift
  apt=$work/apt
  rm -rf "$apt"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$into/usr/bin" "$into/usr/sbin" "$into/usr/lib" "$into/usr/lib64" "$into/tmp" "$into/etc"
  : >"$apt/status"
  for merged in bin sbin lib lib64; do ln -s "usr/$merged" "$into/$merged"; done
  private="-o Dir::State=$apt -o Dir::State::lists=/var/lib/apt/lists -o Dir::State::status=$apt/status -o Dir::Cache=$apt -o Dir::Cache::archives=$apt/archives"
  # shellcheck disable=SC2086 # options, one by one
  apt-get $private install --download-only --no-install-recommends -qq -y base-files dash bash coreutils sed grep findutils libc-bin "$@" >/dev/null
  for package in "$apt"/archives/*.deb; do
    dpkg --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$into"
  done
  ln -sf dash "$into/bin/sh"
  chmod 1777 "$into/tmp"
  chroot "$into" /sbin/ldconfig
  echo 'root:x:0:0::/root:/bin/sh' >"$into/etc/passwd"
  echo 'root:x:0:' >"$into/etc/group"
  rm -rf "$into/usr/share/doc" "$into/usr/share/locale" "$into/usr/share/man"
}

# user <root file system> <name> <id>
user() {
  echo "$2:x:$3:$3::/tmp:/bin/sh" >>"$1/etc/passwd"
  echo "$2:x:$3:" >>"$1/etc/group"
}

node() {
  version=$(sed -n 's/^ARG NODE_VERSION=//p' "$root/Dockerfile")
  debian "$work/node" libstdc++6 libatomic1
  user "$work/node" node 1000
  mkdir -p "$work/node/usr/local/bin" "$work/node/usr/local/lib/node_modules" "$work/node/root" "$work/node/etc/ssl/certs"
  cp "$root/node_modules/node/bin/node" "$work/node/usr/local/bin/"
  cp -rL "$(npm root --global)/npm" "$work/node/usr/local/lib/node_modules/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/node/usr/local/bin/npm"
  tar -C "$work/node" -c . | docker import --change 'CMD ["node"]' - "node:$version-bookworm-slim"
}

redis() {
  debian "$work/redis" redis-server redis-tools
  user "$work/redis" redis 999
  install -d -o 999 -g 999 "$work/redis/data"
  tar -C "$work/redis" -c . | docker import --change 'WORKDIR /data' --change 'VOLUME /data' \
    --change 'EXPOSE 6379' --change 'CMD ["redis-server"]' - "$(named redis)"
}

kafka() {
  pom=$root/infra/kafka/test-broker/pom.xml
  debian "$work/kafka" openjdk-17-jre-headless
  mkdir -p "$work/kafka/opt/kafka/libs" "$work/kafka/etc/kafka/docker" "$work/kafka/proc"
  # The configuration that the scripts of the packages would have made.
  (cd "$work/kafka/usr/bin" && ln -sf ../lib/jvm/java-17-openjdk-*/bin/java java)
  mvn --quiet --batch-mode --file "$pom" dependency:copy-dependencies -DincludeScope=runtime \
    -DoutputDirectory="$work/kafka/opt/kafka/libs"
  user "$work/kafka" appuser 1000
  install -m 755 "$here/kafka-run.sh" "$work/kafka/etc/kafka/docker/run"
  for folder in var/lib/kafka/data opt/kafka/config opt/kafka/logs mnt/shared/config; do
    install -d -o 1000 -g 1000 "$work/kafka/$folder"
  done
  tar -C "$work/kafka" -c . | docker import --change 'USER 1000' --change 'VOLUME /var/lib/kafka/data' \
    --change 'EXPOSE 9092' --change 'CMD ["/etc/kafka/docker/run"]' - "$(named apache/kafka)"
}

clickhouse() {
  debian "$work/clickhouse" libstdc++6 libatomic1 wget
  user "$work/clickhouse" clickhouse 101
  app=$work/clickhouse/opt/stand-in
  mkdir -p "$app/node_modules/@chdb" "$app/node_modules/@yuuang" "$work/clickhouse/usr/local/bin"
  cp "$root/node_modules/node/bin/node" "$work/clickhouse/usr/local/bin/"
  for package in chdb ffi-rs; do cp -r "$root/node_modules/$package" "$app/node_modules/"; done
  cp -r "$root"/node_modules/@chdb/lib-* "$app/node_modules/@chdb/"
  cp -r "$root"/node_modules/@yuuang/ffi-rs-* "$app/node_modules/@yuuang/"
  cp "$root/packages/testing/src/servers/clickhouse/system/serve-clickhouse.ts" "$app/"
  echo '{"type":"module"}' >"$app/package.json"
  install -m 755 "$here/clickhouse-run.sh" "$work/clickhouse/entrypoint.sh"
  mkdir -p "$work/clickhouse/etc/clickhouse-server/config.d" "$work/clickhouse/etc/clickhouse-server/users.d"
  cp "$here/clickhouse-config.xml" "$work/clickhouse/etc/clickhouse-server/config.xml"
  cp "$here/clickhouse-users.xml" "$work/clickhouse/etc/clickhouse-server/users.xml"
  for folder in var/lib/clickhouse var/log/clickhouse-server; do
    install -d -o 101 -g 101 "$work/clickhouse/$folder"
  done
  tar -C "$work/clickhouse" -c . | docker import --change 'VOLUME /var/lib/clickhouse' --change 'EXPOSE 8123' \
    --change 'ENTRYPOINT ["/entrypoint.sh"]' - "$(named clickhouse/clickhouse-server)"
}

for image in ${*:-node redis kafka clickhouse}; do
  "$image"
  rm -rf "${work:?}/$image"
done
