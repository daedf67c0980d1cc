/**
 * Follows the manifests that a plane applied at its start. If a file of a manifest changes, all files of the manifest
 * are read again as one. A good edition is applied to the control topic. After a bad edit the last good edition stays
 * in force: the log names the faults, and readiness says that the manifest is stale. The next start refuses the bad
 * files.
 */
import {
  describeManifestFault,
  type ManifestFault,
  type ManifestOptions,
  type ManifestRead,
  manifestFiles,
  readManifest,
} from '@mandate/documents';
import { type Logger, poll, type ReadinessCheck, watchFile } from '@mandate/runtime';
import { deepEqual } from '@mandate/schemas';

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
};

/** How often a new edition is looked for, and how often an edition that could not be applied is applied again. */
const APPLY_EVERY_MS = 250;

/** The maximum number of faults or warnings that one log line names. */
const TOLD = 20;

/** @param started the folders of the manifests, each with the edition that the start of the plane applied */
export function followManifests(started: ReadonlyMap<string, Edition>, options: Options): FollowedManifests {
  const followed = [...started].map(([folder, edition]) => followManifest(folder, edition, options));
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

function followManifest(folder: string, started: Edition, { options, apply, log }: Options) {
  let inForce = started;
  let wanted = started;
  let isBad = false;
  const take = (read: ManifestRead) => {
    isBad = !read.ok;
    if (!read.ok) {
      log.error(
        { folder, ...told(read.faults) },
        'manifest: the files are bad, the last good ones stay in force',
      );
      return;
    }
    wanted = read.compiled;
    if (read.warnings.length > 0)
      log.warn({ folder, ...told(read.warnings) }, 'the manifest has possible mistakes');
  };
  const { manifest, policy, config, overlay } = manifestFiles(folder, options);
  const others = [policy, config, ...(overlay === null ? [] : [overlay])];
  const files = watchFile<ManifestRead>({
    path: manifest,
    alsoRead: () => others,
    parse: () => readManifest(folder, options),
    unreadable: (message) => ({ ok: false, faults: [unreadable(manifest, message)], warnings: [] }),
    onChange: take,
  });
  // The files may have changed after the start has read them.
  if (!files.first.ok || !deepEqual(files.first.compiled, started)) take(files.first);

  let failed: Edition | null = null;
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

function unreadable(file: string, message: string): ManifestFault {
  return { code: 'YAML_INVALID', file, path: '', line: 1, column: 1, message };
}

function told(faults: readonly ManifestFault[]): { count: number; faults: readonly string[] } {
  return {
    count: faults.length,
    faults: faults.slice(0, TOLD).map((fault) => describeManifestFault(fault)),
  };
}
