#!/bin/sh
# Makes the passwords of docker-compose.yml, once. infra/docker/secrets gets one file for each service.
#
# usage: sh infra/docker/make-secrets.sh
#
# To change the passwords, remove the folder, run this script again, and run `docker compose up --detach --force-recreate`.
set -eu
cd "$(dirname "$0")"
if [ -d secrets ]; then
  echo 'infra/docker/secrets already exists' >&2
  exit 0
fi

password() { od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n'; }
sha256() { printf %s "$1" | { sha256sum 2>/dev/null || shasum -a 256; } | cut -d ' ' -f 1; }

ledger=$(password) operator=$(password) migrator=$(password) recorder=$(password) query=$(password)

# Other users read the files in the containers, so all users may read the files. Only the owner may open the folder.
partial=$(mktemp -d ./secrets.XXXXXX)
echo '*' >"$partial/.gitignore"
echo "MANDATE_REDIS_PASSWORD=$ledger" >"$partial/ledger.env"
echo "MANDATE_CLICKHOUSE_PASSWORD=$migrator" >"$partial/migrator.env"
echo "MANDATE_CLICKHOUSE_PASSWORD=$recorder" >"$partial/recorder.env"
echo "MANDATE_CLICKHOUSE_PASSWORD=$query" >"$partial/query.env"
echo "$operator" >"$partial/redis-operator-password"
cat >"$partial/runner.env" <<'KEYS'
# The API key of the runner, and the secrets that infra/docker/runner/runner.yaml names. docs/deploy.md says how to issue the
# key. After a change: docker compose up --detach --force-recreate runner
#MANDATE_RUNNER_API_KEY=
#OPENAI_API_KEY=
KEYS
cat >"$partial/models.env" <<'KEYS'
# The API key with which the model gateway reports outcomes, and the keys that infra/docker/models/models.yaml names.
# docs/deploy.md says how to issue the key. After a change: docker compose up --detach --force-recreate models
#MANDATE_MODELS_REPORTER_KEY=
#OPENAI_API_KEY=
KEYS
sed -e "s/\${LEDGER_SHA256}/$(sha256 "$ledger")/" -e "s/\${OPERATOR_SHA256}/$(sha256 "$operator")/" \
  ../redis/users.acl >"$partial/redis-users.acl"
# Kafka: a user for each service. kafka-users.conf lists all of them for the broker. `broker` is the broker itself and its admin.
users=''
for user in broker migrator gateway decider snapshots recorder query alerter control runner models console; do
  secret=$(password)
  users="$users
  user_$user=\"$secret\""
  printf 'MANDATE_KAFKA_SASL_USERNAME=%s\nMANDATE_KAFKA_SASL_PASSWORD=%s\n' "$user" "$secret" >"$partial/kafka-$user.env"
  if [ "$user" = broker ]; then broker=$secret; fi
done
login='org.apache.kafka.common.security.plain.PlainLoginModule required'
cat >"$partial/kafka-users.conf" <<USERS
KafkaServer {
  $login
  username="broker"
  password="$broker"$users;
};
USERS
cat >"$partial/clickhouse.env" <<HASHES
MANDATE_CLICKHOUSE_MIGRATOR_SHA256=$(sha256 "$migrator")
MANDATE_CLICKHOUSE_RECORDER_SHA256=$(sha256 "$recorder")
MANDATE_CLICKHOUSE_QUERY_SHA256=$(sha256 "$query")
HASHES
chmod 644 "$partial"/* "$partial/.gitignore"
mv "$partial" secrets
echo 'made infra/docker/secrets'
