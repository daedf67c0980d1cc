/** The parts that the services of a plane share. They are opened in this order, and closed in reverse. */
import { openRulesFile } from '@mandate/alerter';
import { openLog } from '@mandate/bus';
import { openOidcFile } from '@mandate/console-service';
import { openControl } from '@mandate/control-log';
import { gateIn, openGateFile } from '@mandate/control-service';
import { holdFolder, openMandatesFile } from '@mandate/decider';
import {
  type ControlFiles,
  controlFilesIn,
  documentsOfManifest,
  type ManifestOptions,
  mustHaveDocuments,
} from '@mandate/documents';
import { openModelsFile } from '@mandate/model-gateway';
import { openPrivacyFile } from '@mandate/privacy';
import { openRunnerFile } from '@mandate/runner';
import { type Clock, type Logger, monotonic, type Opening, readOrMakeSecret } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { createMetrics, fileKeyStore, openTracer } from '@mandate/server';
import { applyFiles } from './apply-files.ts';
import { openDataFolder } from './data-folder.ts';
import { followManifests } from './follow-manifests.ts';
import type { PlaneConfig } from './plane-config.ts';
import { publishManifests } from './publish-manifests.ts';
import { VERSION } from './version.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The maximum number of warnings that one log line names. */
const DOUBTS_IN_LOG = 20;

export async function openParts(
  config: PlaneConfig,
  log: Logger,
  env: Environment,
  wallClock: Clock,
  opening: Opening,
) {
  const { closing } = opening;
  const read = documentsIn(config, log);
  const wanted = read?.documents ?? null;
  const folder = openDataFolder(config.PLANE_DATA_PATH, config.PLANE_MANDATES_PATH, {
    hasPolicyFiles: wanted !== null,
  });
  holdFolder(config, folder, opening);
  const secret = readOrMakeSecret(folder.secret);
  const metrics = createMetrics({ service: 'plane', processMetrics: true });
  const traced = { service: 'plane', version: VERSION, log, metrics };
  const tracer = closing(await openTracer(config, traced), (opened) => opened?.stop());
  const clock = monotonic(wallClock, { onJump: (jump) => log.error({ jump }, 'the clock jumped') });
  const mandates = closing(openMandatesFile({ path: folder.mandates, log }), (file) => file.stop());
  const hashKey = config.PLANE_HASH_KEY;
  const hashing = { key: hashKey, setting: 'MANDATE_PLANE_HASH_KEY' };
  const privacy = closing(openPrivacyFile(config, { folder, log, hashing }), (file) => file.stop());
  const fields = { redact: config.PLANE_REDACT_FIELDS, hash: config.PLANE_HASH_FIELDS, hashKey };
  const gatePath = gateIn(config.PLANE_POLICIES_PATH);
  const gate = closing(openGateFile({ path: gatePath, isNamed: false, log }), (file) => file.stop());
  const rules = closing(openRulesFile(config, { folder, env, log }), (file) => file.stop());
  const runnerFile = openRunnerFile(config, { folder, env });
  const modelsFile = closing(openModelsFile(config, { folder, env, log }), (file) => file.stop());
  const oidcFile = closing(openOidcFile(config, { folder, env, log }), (file) => file.stop());
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
  const control = await openControl(config, { ...opening, bus, folder, log });
  // The files are applied before any decision. Otherwise an action could be decided while only some of the files are
  // applied.
  const applying = { followed: control.followed, clock, log };
  await publishManifests(read?.agentManifests.values() ?? [], applying);
  if (wanted !== null) await applyFiles(wanted, applying);
  const manifests = closing(
    followManifests(read?.manifests ?? new Map(), {
      options: manifestOptions(config),
      apply: (edition, before) =>
        applyFiles(documentsOfManifest(edition), applying, documentsOfManifest(before)),
      agentManifests: {
        started: read?.agentManifests.values() ?? [],
        gate: gate.gate,
        publish: (manifest) => publishManifests([manifest], applying),
      },
      log,
    }),
    (followed) => followed.stop(),
  );
  const agentsOfPolicies = [...(wanted?.agents.keys() ?? [])];
  const files = {
    folder,
    secret,
    mandates,
    manifests,
    privacy,
    fields,
    gate,
    rules,
    runnerFile,
    modelsFile,
    oidcFile,
    fileKeys: fileKeyStore(folder.keys),
  };
  return { ...opening, ...control, ...files, agentsOfPolicies, log, metrics, tracer, clock, bus };
}

/** Returns the agents, policies and rules of the files. Null if the settings name no files. */
function documentsIn(config: PlaneConfig, log: Logger): ControlFiles | null {
  const { PLANE_POLICIES_PATH: path } = config;
  if (path === undefined) return null;
  const read = mustHaveDocuments([path], controlFilesIn([path], manifestOptions(config)));
  const doubts = read.warnings();
  if (doubts.length > 0) {
    const warnings = doubts.slice(0, DOUBTS_IN_LOG);
    log.warn({ count: doubts.length, warnings }, 'agents, policies and rules have possible mistakes');
  }
  return read;
}

function manifestOptions(config: PlaneConfig): ManifestOptions {
  return { environment: config.PLANE_POLICIES_ENVIRONMENT, lenient: config.PLANE_POLICIES_LENIENT };
}
