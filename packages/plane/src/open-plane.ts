/**
 * The plane: every service in one process. Log, ledger and audit use the servers that the settings name. Without such
 * settings, the log is a SQLite file, the ledger is in memory, and ClickHouse runs in this process. Services do not
 * know which of these is used, or which other services run.
 */
import { openAlerter } from '@mandate/alerter';
import { type AuditClient, MIGRATIONS_DIRECTORY, migrate, openAudit } from '@mandate/audit';
import type { Bus } from '@mandate/bus';
import { consoleRoutes } from '@mandate/console-service';
import { openControlService } from '@mandate/control-service';
import { openDecider, openLedger } from '@mandate/decider';
import { openGateway } from '@mandate/gateway';
import type { Ledger } from '@mandate/ledger';
import { openModelGateway } from '@mandate/model-gateway';
import { currentTextRedactor } from '@mandate/privacy';
import { createFindDecision, createFindUsage, openQuery } from '@mandate/query';
import { openRecorder } from '@mandate/recorder';
import { openRunner } from '@mandate/runner';
import {
  type Clock,
  type DataFolder,
  type Logger,
  type Opening,
  openInOrder,
  type Running,
  systemClock,
} from '@mandate/runtime';
import { anyKeyStore, BrowserSessions, createHttpServer, keysInForce, serveHttp } from '@mandate/server';
import { type FirstKey, makeFirstKeys } from './first-keys.ts';
import { type Environment, openParts } from './open-parts.ts';
import type { PlaneConfig } from './plane-config.ts';
import { serviceKeys } from './service-keys.ts';
import { VERSION } from './version.ts';

export type Plane = {
  url: string;
  folder: DataFolder;
  /** The keys made at the first start of the folder; empty at every later start. */
  firstKeys: readonly FirstKey[];
  bus: Bus;
  ledger: Ledger;
  audit: AuditClient;
  /** Resolves when all records that are on the log at the call are decided and in the audit. */
  atRest(signal?: AbortSignal): Promise<void>;
};

/**
 * Resolves once every part is ready. `stop` closes the parts in reverse order. `finished` rejects if a part fails.
 *
 * @param env the environment variables that contain the secrets of alert rules
 * @param wallClock the clock of the machine. Only a test gives another clock
 */
export function openPlane(
  config: PlaneConfig,
  log: Logger,
  env: Environment = {},
  wallClock: Clock = systemClock,
): Promise<Plane & Required<Running>> {
  return openInOrder((opening) => open(config, log, env, wallClock, opening));
}

async function open(
  config: PlaneConfig,
  log: Logger,
  env: Environment,
  wallClock: Clock,
  opening: Opening,
): Promise<Plane> {
  const parts = await openParts(config, log, env, wallClock, opening);
  const { bus, clock, folder, followed, fileKeys, gate, manifests, mandates } = parts;
  const { metrics, modelsFile, oidcFile, privacy, rules, runnerFile, tracer } = parts;
  const opened = await openLedger(config, parts, opening);
  const { ledger } = opened;
  const audit = opening.closing(await openAudit(config, { path: folder.audit }), (held) => held.close());
  await migrate(audit, MIGRATIONS_DIRECTORY);

  const recorder = await openRecorder(config, { ...parts, audit });
  const decider = await openDecider(config, { ...parts, ...opened });
  const mandatesOfFile = () => mandates.control().mandates;
  const findDecision = createFindDecision(audit);
  const found = { findDecision, findUsage: createFindUsage(audit, { log, metrics }) };
  const gateway = await openGateway(config, { ...parts, ...found, ledger, mandatesOfFile });
  const recordReads = config.QUERY_RECORD_READS;
  const alerter = await openAlerter(config, { ...parts, recordReads });
  const redactText = currentTextRedactor(privacy);
  const control = openControlService({
    ...parts,
    gate: gate.gate,
    mandatesFile: () => ({ ...mandates.control(), faults: mandates.faults() }),
    redactText,
    recordReads,
  });
  const query = openQuery(config, { ...parts, audit });
  const ofRunner = serviceKeys({ name: 'runner', scopes: ['publish', 'report', 'release'] }, clock);
  const { keyOf } = ofRunner;
  const runner = await openRunner(config, { ...parts, file: runnerFile, recordReads, keyOf });
  const ofModels = serviceKeys({ name: 'models', scopes: ['report', 'release'] }, clock);
  const { keyOf: reporterKeyOf } = ofModels;
  const models = openModelGateway(config, { ...parts, file: modelsFile, reporterKeyOf });

  const sessions = new BrowserSessions(parts.secret);
  const server = await createHttpServer({
    ...{ service: 'plane', version: VERSION, log, metrics, tracer, clock },
    keys: anyKeyStore(ofRunner.store, ofModels.store, keysInForce(followed, fileKeys)),
    sessions,
    corsOrigins: config.PLANE_CORS_ORIGINS,
    limits: {
      requestsPerKeyPerSecond: config.PLANE_REQUESTS_PER_KEY_PER_SECOND,
      sockets: config.PLANE_MAX_SOCKETS,
    },
    quotas: followed.mandates.quotas,
    readiness: async () => [
      ...(await gateway.readiness()),
      ...(await query.readiness()),
      ...(await runner.readiness()),
      ...(await models.readiness()),
      ...[mandates, manifests, rules, privacy, gate, oidcFile, decider].map((part) => part.readiness()),
    ],
  });
  for (const { routes } of [gateway, alerter, control, query, runner, models]) await server.register(routes);
  let ownUrl: string | null = null;
  await server.register(consoleRoutes({ ...parts, sessions, recordReads, ownUrl: () => ownUrl }));
  const { url } = opening.running(
    await serveHttp(server, { host: config.PLANE_HOST, port: config.PLANE_PORT }),
  );
  models.decideAt(url);
  // A person cannot open the address of a plane that listens at all addresses. The rule file and oidc.yaml then name the console.
  if (!['0.0.0.0', '::'].includes(config.PLANE_HOST)) {
    alerter.linkTo(url);
    ownUrl = url;
  }
  if (config.PLANE_PERFORM_RUNS) await runner.perform(url);
  // The keys are made last, because they are shown only after a complete start. If a later step failed, the keys would
  // never be shown.
  const { agentsOfPolicies } = parts;
  const agentsOfMandates = mandatesOfFile().flatMap(({ agentGlobs }) => agentGlobs);
  // If policy files name agents, a mandates file that openDataFolder made is for no real agent.
  const isMandatesFileUsed = agentsOfPolicies.length === 0 || config.PLANE_MANDATES_PATH !== undefined;
  const named = new Set([...agentsOfPolicies, ...(isMandatesFileUsed ? agentsOfMandates : [])]);
  const firstKeys = await makeFirstKeys(fileKeys, [...named]);
  const atRest = async (signal?: AbortSignal) => {
    await decider.caughtUp(signal);
    await recorder.caughtUp(signal);
  };
  return { url, folder, firstKeys, bus, ledger, audit, atRest };
}
