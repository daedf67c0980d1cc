#!/bin/sh
# Serves ClickHouse over HTTP until SIGTERM. As the first process of a container, the engine would ignore SIGTERM. So this
# script is the first process, and passes the signal on.
config=/etc/clickhouse-server/config.xml
for_ever='SELECT sleepEachRow(1) FROM numbers(365 * 86400)
  SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1, log_queries = 0 FORMAT Null'
cd /tmp || exit 1
node /opt/stand-in/serve-clickhouse.ts "--config-file=$config" --path=/var/lib/clickhouse --http_port=8123 \
  --listen_host=0.0.0.0 --log-level=information --multiquery --query "SYSTEM START LISTEN HTTP; $for_ever" &
engine=$!
trap 'kill "$engine"' TERM INT
wait "$engine"
wait "$engine" 2>/dev/null
exit 0
