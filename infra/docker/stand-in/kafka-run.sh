#!/bin/bash
# Starts Kafka as its own image does: KAFKA_LOG_DIRS in the environment is log.dirs in server.properties.
set -eu
properties=/opt/kafka/config/server.properties
while IFS='=' read -r name value; do
  case $name in
    KAFKA_HEAP_OPTS | KAFKA_OPTS | KAFKA_JVM_PERFORMANCE_OPTS) ;;
    KAFKA_*)
      setting=${name#KAFKA_}
      setting=${setting,,}
      echo "${setting//_/.}=$value"
      ;;
  esac
done < <(env) >"$properties"

java="java ${KAFKA_HEAP_OPTS:-} ${KAFKA_OPTS:-} -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp /opt/kafka/libs/*"
set -f
$java kafka.tools.StorageTool format --ignore-formatted --cluster-id="$CLUSTER_ID" --config "$properties"
exec $java kafka.Kafka "$properties"
