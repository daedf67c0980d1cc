/**
 * Follows the manifests and the agent manifests that a plane applied at its start. If a file of a manifest changes, all
 * files of the manifest are read again as one. A good edition is applied to the control topic. After a bad edit the last good edition stays
 * in force: the log names the faults, and readiness says that the manifest is stale. The next start refuses the bad
 * files.
 */
import { dirname, join } from 'node:path';
import {
  describeManifestFault,
  describeNote,
  type ManifestFault,
  type ManifestOptions,
  type ManifestRead,
  manifestFiles,
  type PublishableManifest,
  readAgentManifestFile,
  readManifest,
} from '@mandate/documents';
import { type Logger, poll, type ReadinessCheck, watchFile } from '@mandate/runtime';
import { deepEqual } from '@mandate/schemas';
import type { GateDocument } from '@mandate/schemas/agent-manifest';

export type Edition = Extract<ManifestRead, { ok: true }>['compiled'];

/** Applies an edition. It also removes what only the edition before contains. */
type ApplyEdition = (edition: Edition, before: Edition) => Promise<void>;

export type FollowedManifests = {
  readiness(): ReadinessCheck;
  /** Checks the files now, before the next interval. */
  look(): void;
  stop(): void;
};

type Options = {
  options: ManifestOptions;
  apply: ApplyEdition;
  log: Logger;
  /** The agent manifests, as the start of the plane published them. */
  agentManifests?: {
    started: Iterable<PublishableManifest>;
    gate(): GateDocument | null;
    publish(manifest: PublishableManifest): Promise<void>;
  };
};

/** How often a new edition is looked for, and how often an edition that could not be applied is applied again. */
const APPLY_EVERY_MS = 250;

/** The maximum number of faults or warnings that one log line names. */
const TOLD = 20;

/** @param started the folders of the manifests, each with the edition that the start of the plane applied */
export function followManifests(started: ReadonlyMap<string, Edition>, options: Options): FollowedManifests {
  const { agentManifests, log } = options;
  const followed = [
    ...[...started].map(([folder, edition]) => followEditions(manifestIn(folder, edition, options), log)),
    ...[...(agentManifests?.started ?? [])].map((manifest) =>
      followEditions(agentManifestIn(manifest, options), log),
    ),
  ];
  return {
    readiness: () => ({
      name: 'manifests',
      ok: true,
      ...(followed.some(({ isStale }) => isStale()) && { stale: true, detail: STALE }),
    }),
    look() {
      for (const { look } of followed) look();
    },
    stop() {
      for (const { stop } of followed) stop();
    },
  };
}

const STALE = 'the files of a manifest are bad: the last good ones are in force';

/** A manifest that is followed: how its files are read, and how an edition of it is applied. */
type Followed<Of> = {
  /** The name of the manifest in log lines. */
  folder: string;
  path: string;
  others(): readonly string[];
  started: Of;
  read(): EditionRead<Of>;
  apply(edition: Of, before: Of): Promise<void>;
};

/** Faults and warnings are lines of text. */
type EditionRead<Of> = { warnings: readonly string[] } & (
  | { ok: true; edition: Of }
  | { ok: false; faults: readonly string[] }
);

function manifestIn(folder: string, started: Edition, { options, apply }: Options): Followed<Edition> {
  const { manifest, policy, config, overlay } = manifestFiles(folder, options);
  const others = [policy, config, ...(overlay === null ? [] : [overlay])];
  const inWords = (faults: readonly ManifestFault[]) => faults.map((fault) => describeManifestFault(fault));
  return {
    ...{ folder, path: manifest, started, apply },
    others: () => others,
    read() {
      const read = readManifest(folder, options);
      const warnings = inWords(read.warnings);
      if (!read.ok) return { ok: false, faults: inWords(read.faults), warnings };
      return { ok: true, edition: read.compiled, warnings };
    },
  };
}

function agentManifestIn(
  started: PublishableManifest,
  { agentManifests }: Options,
): Followed<PublishableManifest> {
  const { path } = started;
  const folder = dirname(path);
  let others = Object.keys(started.files);
  return {
    ...{ folder: path, path, started },
    others: () => others.map((name) => join(folder, name)),
    read() {
      const { publication, text, files } = readAgentManifestFile(path, {}, agentManifests?.gate() ?? null);
      others = Object.keys(files);
      if (publication.ok) {
        const { ok: _, ...publishable } = publication;
        const warnings = publication.warnings.map((warning) => describeNote(folder, warning));
        const edition = { path, text, files, ...publishable };
        return { ok: true, edition, warnings };
      }
      const faults = publication.faults.map((fault) => describeNote(folder, fault));
      const violations = publication.violations.map(
        (one) => `${path}: ${one.path} ${one.message} (${one.rule})`,
      );
      return { ok: false, faults: [...faults, ...violations], warnings: [] };
    },
    apply: async (edition) => agentManifests?.publish(edition),
  };
}

function followEditions<Of>({ folder, path, others, started, read, apply }: Followed<Of>, log: Logger) {
  let inForce = started;
  let wanted = started;
  let isBad = false;
  const take = (found: EditionRead<Of>) => {
    isBad = !found.ok;
    if (!found.ok) {
      log.error(
        { folder, ...told(found.faults) },
        'manifest: the files are bad, the last good ones stay in force',
      );
      return;
    }
    wanted = found.edition;
    if (found.warnings.length > 0)
      log.warn({ folder, ...told(found.warnings) }, 'the manifest has possible mistakes');
  };
  const files = watchFile<EditionRead<Of>>({
    path,
    alsoRead: others,
    parse: read,
    unreadable: (message) => ({ ok: false, faults: [`${path}:1:1 ${message} (YAML_INVALID)`], warnings: [] }),
    onChange: take,
  });
  // The files may have changed after the start has read them.
  if (!files.first.ok || !deepEqual(files.first.edition, started)) take(files.first);

  let failed: Of | null = null;
  const applying = poll(
    APPLY_EVERY_MS,
    async () => {
      if (wanted === inForce) return;
      const edition = wanted;
      await apply(edition, inForce);
      inForce = edition;
      failed = null;
      log.warn({ folder }, 'the manifest was edited and is in force');
    },
    (err) => {
      // The edition is applied again and again. The log names the failure once.
      if (failed !== wanted) log.error({ folder, err }, 'manifest: the edited files could not be applied');
      failed = wanted;
    },
  );
  return {
    isStale: () => isBad || failed !== null,
    look: files.look,
    stop() {
      files.stop();
      applying.stop();
    },
  };
}

function told(faults: readonly string[]): { count: number; faults: readonly string[] } {
  return { count: faults.length, faults: faults.slice(0, TOLD) };
}
