/**
 * Says which of Kafka's users may do what, at every `up`: it adds what is missing, and a repeat changes nothing.
 *
 * Each service has a user of its own, which may write what that service writes, and nothing else. Whoever may write the
 * decisions, or the control topic, says what was allowed and what may be: infra/kafka/README.md says which right is for what.
 *
 * Environment: MANDATE_KAFKA_BROKERS, and MANDATE_KAFKA_SASL_USERNAME and _PASSWORD of the broker's own user.
 */
import kafkajs from 'kafkajs';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, Kafka, logLevel, ResourcePatternTypes } =
  kafkajs;
const { CREATE, DESCRIBE, DESCRIBE_CONFIGS, READ, WRITE } = AclOperationTypes;

const LOOKS = [DESCRIBE, DESCRIBE_CONFIGS];
const READS = [READ, ...LOOKS];
const WRITES = [WRITE, ...LOOKS];
const BOTH = [READ, WRITE, ...LOOKS];

const topic = (name) => ({ type: AclResourceTypes.TOPIC, name, pattern: ResourcePatternTypes.LITERAL });
/** All whose names begin so. */
const topics = (name) => ({ ...topic(name), pattern: ResourcePatternTypes.PREFIXED });
const groups = (name) => ({ ...topics(name), type: AclResourceTypes.GROUP });

/** With the topics of tenants that publish directly. */
const ACTIONS = topics('mandate.actions.v1');
const DECISIONS = topic('mandate.decisions.v1');
const DEAD_LETTERS = topic('mandate.deadletters.v1');
const SNAPSHOTS = topic('mandate.snapshots.v1');
const ALERTS = topic('mandate.alerts.v1');
const ACCESS = topic('mandate.access.v1');
const PERSONS = topic('mandate.persons.v1');
const CONTROL = [topic('mandate.control.v1'), topic('mandate.controlsnapshots.v1')];

/** By user: what it may do, and with what. */
const RIGHTS = {
  migrator: [
    [[CREATE, ...LOOKS], [topics('mandate.')]],
    [READS, CONTROL],
  ],
  gateway: [
    [WRITES, [ACTIONS, ACCESS]],
    [BOTH, [DECISIONS, DEAD_LETTERS, PERSONS]],
    [READS, CONTROL],
  ],
  decider: [
    [READS, [ACTIONS, ...CONTROL]],
    [BOTH, [DECISIONS, SNAPSHOTS]],
    [WRITES, [DEAD_LETTERS]],
    [[READ, DESCRIBE], [groups('mandate.decider')]],
  ],
  snapshots: [
    [READS, [DECISIONS]],
    [BOTH, [SNAPSHOTS]],
  ],
  recorder: [
    [READS, [DECISIONS, DEAD_LETTERS, ACCESS, ...CONTROL]],
    [[READ, DESCRIBE], [groups('mandate.recorder')]],
  ],
  query: [
    [WRITES, [ACCESS]],
    [READS, CONTROL],
  ],
  alerter: [
    [READS, [DECISIONS, ...CONTROL]],
    [BOTH, [ALERTS]],
    [WRITES, [ACCESS]],
    [LOOKS, [ACTIONS, DEAD_LETTERS]],
    [[READ, DESCRIBE], [groups('mandate.alerter')]],
    [[DESCRIBE], [groups('mandate.decider'), groups('mandate.recorder')]],
  ],
  control: [
    [BOTH, CONTROL],
    [WRITES, [ACCESS]],
    [[CREATE, ...LOOKS], [topics('mandate.actions.v1.')]],
  ],
};

export const acl = Object.entries(RIGHTS).flatMap(([user, rights]) =>
  rights.flatMap(([operations, resources]) =>
    resources.flatMap(({ type, name, pattern }) =>
      operations.map((operation) => ({
        ...{ resourceType: type, resourceName: name, resourcePatternType: pattern },
        ...{ principal: `User:${user}`, host: '*', operation, permissionType: AclPermissionTypes.ALLOW },
      })),
    ),
  ),
);

if (import.meta.main) {
  const {
    MANDATE_KAFKA_BROKERS = '',
    MANDATE_KAFKA_SASL_USERNAME,
    MANDATE_KAFKA_SASL_PASSWORD,
  } = process.env;
  const admin = new Kafka({
    brokers: MANDATE_KAFKA_BROKERS.split(','),
    sasl: {
      mechanism: 'plain',
      username: MANDATE_KAFKA_SASL_USERNAME,
      password: MANDATE_KAFKA_SASL_PASSWORD,
    },
    logLevel: logLevel.ERROR,
  }).admin();
  await admin.connect();
  try {
    await admin.createAcls({ acl });
    console.log(`${acl.length} rights of ${Object.keys(RIGHTS).length} users are in force`);
  } finally {
    await admin.disconnect();
  }
}
