/**
 * Grants each Kafka user its rights, at every `up`. It adds the missing rights. A repeat changes nothing.
 *
 * Each service has its own user, which may write only the records of that service. A user that can write decisions decides
 * which actions were allowed. A user that can write the control topic decides which actions may be allowed.
 * infra/kafka/README.md explains each right.
 *
 * Environment: MANDATE_KAFKA_BROKERS, and MANDATE_KAFKA_SASL_USERNAME and _PASSWORD of the broker's own user.
 * CONSOLE_OIDC=yes: the console also gets the right that it needs for an identity provider.
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
/** Returns all topics with names that begin with this text. */
const topics = (name) => ({ ...topic(name), pattern: ResourcePatternTypes.PREFIXED });
const groups = (name) => ({ ...topics(name), type: AclResourceTypes.GROUP });

/** These topics include the topics of tenants that publish directly to Kafka. */
const ACTIONS = topics('mandate.actions.v1');
const DECISIONS = topic('mandate.decisions.v1');
const DEAD_LETTERS = topic('mandate.deadletters.v1');
const SNAPSHOTS = topic('mandate.snapshots.v1');
const ALERTS = topic('mandate.alerts.v1');
const ACCESS = topic('mandate.access.v1');
const SDK_RECORDS = topic('mandate.sdkrecords.v1');
const CONTEXT = topic('mandate.context.v1');
const RUNS = topic('mandate.runs.v1');
const PERSONS = topic('mandate.persons.v1');
const CONTROL = [topic('mandate.control.v1'), topic('mandate.controlsnapshots.v1')];

/** For each Kafka user: the allowed operations, and the resources that each operation is allowed on. */
const RIGHTS = {
  migrator: [
    [[CREATE, ...LOOKS], [topics('mandate.')]],
    [READS, CONTROL],
  ],
  gateway: [
    [WRITES, [ACTIONS, ACCESS, SDK_RECORDS, CONTEXT]],
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
    [READS, [DECISIONS, DEAD_LETTERS, ACCESS, SDK_RECORDS, CONTEXT, ...CONTROL]],
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
    [LOOKS, [ACTIONS, DEAD_LETTERS, SDK_RECORDS, CONTEXT]],
    [[READ, DESCRIBE], [groups('mandate.alerter')]],
    [[DESCRIBE], [groups('mandate.decider'), groups('mandate.recorder')]],
  ],
  control: [
    [BOTH, CONTROL],
    [WRITES, [ACCESS]],
    [[CREATE, ...LOOKS], [topics('mandate.actions.v1.')]],
  ],
  models: [[READS, CONTROL]],
  console: [
    [READS, CONTROL],
    [WRITES, [ACCESS]],
  ],
  runner: [
    [READS, CONTROL],
    [BOTH, [RUNS]],
    [WRITES, [ACCESS]],
    [[READ, DESCRIBE], [groups('mandate.runner')]],
  ],
};

/** A console with an identity provider issues the keys of the people who sign in through it. */
const SIGN_IN_RIGHTS = { console: [[[WRITE], [topic('mandate.control.v1')]]] };

const aclOf = (all) =>
  Object.entries(all).flatMap(([user, rights]) =>
    rights.flatMap(([operations, resources]) =>
      resources.flatMap(({ type, name, pattern }) =>
        operations.map((operation) => ({
          ...{ resourceType: type, resourceName: name, resourcePatternType: pattern },
          ...{ principal: `User:${user}`, host: '*', operation, permissionType: AclPermissionTypes.ALLOW },
        })),
      ),
    ),
  );

export const acl = aclOf(RIGHTS);
export const signInAcl = aclOf(SIGN_IN_RIGHTS);

if (import.meta.main) {
  const {
    MANDATE_KAFKA_BROKERS = '',
    MANDATE_KAFKA_SASL_USERNAME,
    MANDATE_KAFKA_SASL_PASSWORD,
    CONSOLE_OIDC,
  } = process.env;
  const wanted = CONSOLE_OIDC === 'yes' ? [...acl, ...signInAcl] : acl;
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
    await admin.createAcls({ acl: wanted });
    console.log(`${wanted.length} rights of ${Object.keys(RIGHTS).length} users are in force`);
  } finally {
    await admin.disconnect();
  }
}
