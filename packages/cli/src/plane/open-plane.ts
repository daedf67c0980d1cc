/**
 * The plane: every service in one process. Log, ledger and audit are on the servers that the settings name; where they
 * name none, a SQLite log, a ledger in memory and ClickHouse in-process. What is opened first is closed last. The
 * services cannot tell the difference, nor that they are not alone.
 */

import { recordHttpReads } from '@mandate/access-log';
import { alertRoutes, openRulesFile, startAlerter } from '@mandate/alerter';
import { type AuditClient, MIGRATIONS_DIRECTORY, migrate, openAudit } from '@mandate/audit';
import { type Bus, openLog } from '@mandate/bus';
import { agentRegister, mandatesByRegister } from '@mandate/control';
import { followControl, openControlSnapshots } from '@mandate/control-log';
import {
  controlRoutes,
  makeTenantTopics,
  measureExpiringKeys,
  openControlThread,
} from '@mandate/control-service';
import {
  holdFolder,
  openLedger,
  openMandatesFile,
  startDecider,
  warnOfShortQuestions,
} from '@mandate/decider';
import { createGateway } from '@mandate/gateway';
import { type Ledger, openKillBroadcast } from '@mandate/ledger';
import { compileActionRedaction, fingerprintOf } from '@mandate/policy';
import {
  hidingInForce,
  openPrivacyFile,
  personKeysAt,
  redactingInForce,
  redactPieces,
  sealingInForce,
  sealsAnything,
} from '@mandate/privacy';
import { createFindDecision, queryReadiness, queryRoutes } from '@mandate/query';
import { startRecorder } from '@mandate/recorder';
import {
  type DataFolder,
  type Logger,
  monotonic,
  type Opening,
  openInOrder,
  type Running,
  readOrMakeSecret,
  systemClock,
} from '@mandate/runtime';
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import {
  anyKeyStore,
  createHttpServer,
  createMetrics,
  fileKeyStore,
  keyStoreOf,
  keysWhileOpen,
  openTracer,
  serveHttp,
} from '@mandate/server';
import { readControlFiles } from '../control/read-control-files.ts';
import { VERSION } from '../version.ts';
import { applyFiles } from './apply-files.ts';
import { openDataFolder } from './data-folder.ts';
import { type FirstKey, makeFirstKeys } from './first-keys.ts';
import type { PlaneConfig } from './plane-config.ts';

export type Plane = {
  url: string;
  folder: DataFolder;
  /** Made at the first start of the folder; empty ever after. */
  firstKeys: readonly FirstKey[];
  bus: Bus;
  ledger: Ledger;
  audit: AuditClient;
  /** Resolves once everything that is on the log now is decided, and in the audit's answers. */
  atRest(signal?: AbortSignal): Promise<void>;
};

/** A line of the log tells so many. */
const DOUBTS_IN_LOG = 20;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Resolves when everything answers. Stop it to close everything in reverse; `finished` rejects when a part fails.
 *
 * @param env where the rules of alerts may have secrets looked for
 */
export function openPlane(
  config: PlaneConfig,
  log: Logger,
  env: Environment = {},
): Promise<Plane & Required<Running>> {
  return openInOrder((opening) => open(config, log, env, opening));
}

async function open(config: PlaneConfig, log: Logger, env: Environment, opening: Opening): Promise<Plane> {
  const { closing, running } = opening;
  const policies = config.PLANE_POLICIES_PATH;
  const doubts: string[] = [];
  const wanted = policies === undefined ? null : readControlFiles([policies], doubts);
  if (doubts.length > 0) {
    const warnings = doubts.slice(0, DOUBTS_IN_LOG);
    log.warn({ count: doubts.length, warnings }, 'agents, policies and rules may not mean what they say');
  }
  const folder = openDataFolder(config.PLANE_DATA_PATH, config.PLANE_MANDATES_PATH);
  holdFolder(config, folder, opening);
  const secret = readOrMakeSecret(folder.secret);
  const metrics = createMetrics({ service: 'plane', processMetrics: true });
  const traced = { service: 'plane', version: VERSION, log, metrics };
  const tracer = closing(await openTracer(config, traced), (opened) => opened?.stop());
  const clock = monotonic(systemClock, { onJump: (jump) => log.error({ jump }, 'the clock jumped') });
  const keys = fileKeyStore(folder.keys);
  const mandates = closing(openMandatesFile({ path: folder.mandates, log }), (file) => file.stop());
  const hashKey = config.PLANE_HASH_KEY;
  const hashing = { key: hashKey, setting: 'MANDATE_PLANE_HASH_KEY' };
  const privacy = closing(openPrivacyFile(config, { folder, log, hashing }), (file) => file.stop());
  const personKeys = personKeysAt(config.GATEWAY_PERSON_KEYS_PATH ?? folder.personKeys);
  const redact = compileActionRedaction({
    redact: config.PLANE_REDACT_FIELDS,
    hash: config.PLANE_HASH_FIELDS,
    hashKey,
  });
  const alertsPath = config.ALERTER_RULES_PATH;
  const alertRules = closing(
    openRulesFile({ path: alertsPath ?? folder.alerts, isNamed: alertsPath !== undefined, env, log }),
    (file) => file.stop(),
  );

  const bus = closing(
    await openLog(config, {
      path: folder.log,
      log,
      clock,
      synchronous: config.PLANE_SYNCHRONOUS,
      retentionMs: { [TOPICS.actions]: config.PLANE_ACTIONS_RETENTION_MS },
    }),
    (opened) => opened.close(),
  );
  const snapshots = openControlSnapshots(config, bus, folder);
  const followed = running(
    await followControl({ bus, log, snapshots, leaveAfterRecords: config.CONTROL_SNAPSHOT_AFTER_RECORDS }),
  );
  // Applied before any decision, so that no agent is decided by half of the files.
  if (wanted !== null) await applyFiles(wanted, { followed, clock, log });
  const { ledger, mend } = await openLedger(config, { bus, folder, clock, log }, opening);
  const kills = closing(await openKillBroadcast(config, log), (held) => held.close());
  const audit = closing(await openAudit(config, { path: folder.audit }), (opened) => opened.close());
  await migrate(audit, MIGRATIONS_DIRECTORY);

  const recorder = running(
    await startRecorder({
      bus,
      audit,
      log,
      metrics,
      tracer,
      maxBatch: config.RECORDER_BATCH_RECORDS,
      gatherMs: config.RECORDER_GATHER_MS,
      sessionTimeoutMs: config.RECORDER_SESSION_TIMEOUT_MS,
      keepMonths: privacy.keepMonths,
    }),
  );
  const decider = running(
    await startDecider({
      bus,
      ledger,
      mend,
      log,
      metrics,
      tracer,
      clock,
      redact: hidingInForce(privacy, { redact, hashKey, sealer: null }),
      maxRemembered: (tenant) => followed.mandates.limits(tenant).rememberedIds,
      tenantsWithTopics: () => followed.withTopics,
      topics: [TOPICS.actions, ...config.DECIDER_TENANT_TOPICS.map(topicOfTenant)],
      control: () => mandatesByRegister(followed.mandates, mandates.control()),
      deadlines: true,
      maxBatch: config.DECIDER_BATCH_RECORDS,
      sessionTimeoutMs: config.DECIDER_SESSION_TIMEOUT_MS,
    }),
  );
  warnOfShortQuestions({ mandates: mandates.control().mandates, followed, ledger, log });
  const { directTenants } = followed;
  closing(makeTenantTopics({ bus, log, directTenants }), (making) => making.stop());
  const allKeys = async () => [...followed.allKeys(), ...(await keys.list())];
  closing(measureExpiringKeys({ metrics, log, clock, keys: allKeys }), (measuring) => measuring.stop());
  const seal = sealingInForce(privacy, personKeys);
  const gateway = createGateway(
    {
      bus,
      ledger,
      standing: followed.mandates.standing,
      controlRevision: followed.revision,
      register: agentRegister(followed.tenant, () => mandates.control().mandates),
      limits: followed.mandates.limits,
      isClosed: followed.mandates.isClosed,
      isOfBounds: followed.mandates.isOfBounds,
      kills,
      redact: hidingInForce(privacy, { redact, hashKey, sealer: personKeys }),
      fingerprint: (original, redacted, tenant) => fingerprintOf(seal(original, tenant), redacted, secret),
      findDecision: createFindDecision(audit),
      redactText: redactingInForce(privacy),
      personKeys,
      sealsPersons: () => sealsAnything(privacy.privacy()),
      onPrivacyEdit: privacy.onEdit,
      log,
      metrics,
      clock,
    },
    config,
  );
  running(await gateway.start());
  const alerter = running(
    await startAlerter({
      bus,
      rules: alertRules,
      log,
      metrics,
      clock,
      sessionTimeoutMs: config.ALERTER_SESSION_TIMEOUT_MS,
      mostWaiting: config.ALERTER_MAX_WAITING,
    }),
  );

  const server = await createHttpServer({
    service: 'plane',
    version: VERSION,
    log,
    metrics,
    tracer,
    keys: keysWhileOpen(anyKeyStore(keyStoreOf(followed.apiKeys), keys), followed.mandates),
    corsOrigins: config.PLANE_CORS_ORIGINS,
    limits: {
      requestsPerKeyPerSecond: config.PLANE_REQUESTS_PER_KEY_PER_SECOND,
      sockets: config.PLANE_MAX_SOCKETS,
    },
    tenantLimits: followed.mandates.limits,
    clock,
    readiness: async () => [
      ...(await gateway.readiness()),
      ...(await queryReadiness(audit)),
      mandates.readiness(),
      alertRules.readiness(),
      privacy.readiness(),
      decider.readiness(),
    ],
  });
  await server.register(gateway.routes);
  const reads = config.QUERY_RECORD_READS
    ? recordHttpReads({ bus, source: 'alerter', clock, log, redactText: redactPieces })
    : null;
  await server.register(alertRoutes(alerter, reads));
  const controlReads = config.QUERY_RECORD_READS
    ? recordHttpReads({ bus, source: 'control', clock, log, redactText: redactPieces })
    : null;
  const hiding = () => ({
    redact: config.PLANE_REDACT_FIELDS,
    hash: config.PLANE_HASH_FIELDS,
    document: privacy.privacy(),
  });
  const { revision } = followed;
  const apart = closing(openControlThread({ bus, log, snapshots, revision }), (thread) => thread.stop());
  await server.register(
    controlRoutes(
      { followed, apart, clock, hiding, redactText: redactingInForce(privacy), fileKeys: keys.ofTenant },
      controlReads,
    ),
  );
  await server.register(
    queryRoutes({
      audit,
      bus: config.QUERY_RECORD_READS ? bus : null,
      log,
      metrics,
      clock,
      timeoutMs: config.QUERY_ANSWER_TIMEOUT_MS,
      redactText: redactPieces,
    }),
  );
  const { url } = running(await serveHttp(server, { host: config.PLANE_HOST, port: config.PLANE_PORT }));
  // Last: keys that a failing start had made would never be shown.
  const named = new Set(mandates.control().mandates.flatMap(({ agentGlobs }) => agentGlobs));
  const firstKeys = await makeFirstKeys(keys, [...named]);

  return {
    url,
    folder,
    firstKeys,
    bus,
    ledger,
    audit,
    atRest: async (signal) => {
      await decider.caughtUp(signal);
      await recorder.caughtUp(signal);
    },
  };
}
