/** The data folder of one machine, and the names of its files. All processes of the machine share the folder. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MandateError } from './errors.ts';

/** The folder of a process when no setting names one: below the folder in which it was started. */
export const DEFAULT_DATA_PATH = '.mandate';

export type DataFolder = {
  path: string;
  /** The lock of the process that decides. There is one ledger in memory for each log. */
  lock: string;
  log: string;
  /** A snapshot of the ledger. It only makes a start faster. */
  snapshot: string;
  /** A snapshot of agents, policies and rules, for a faster start as well. */
  controlSnapshot: string;
  /** The directory of the audit. The recorder holds it, or the query service if there is no recorder. */
  audit: string;
  keys: string;
  /** The secret for fingerprints of redacted values. */
  secret: string;
  /** The file of mandates, unless a setting names another. */
  mandates: string;
  /** The file of alert rules, unless a setting names another. It may be absent. */
  alerts: string;
  /** The file that says which personal data to redact, unless a setting names another. It may be absent. */
  privacy: string;
  /** The keys that open sealed data of persons. The folder is made when the first value is sealed. */
  personKeys: string;
};

/** Returns the names of the files in the folder at `path`. Reads and makes nothing. */
export function dataFolder(path: string): DataFolder {
  return {
    path,
    lock: join(path, 'plane.lock'),
    log: join(path, 'log.sqlite'),
    snapshot: join(path, 'ledger-snapshot.ndjson'),
    controlSnapshot: join(path, 'control-snapshot.ndjson'),
    audit: join(path, 'audit'),
    keys: join(path, 'keys.json'),
    secret: join(path, 'plane.secret'),
    mandates: join(path, 'mandates.yaml'),
    alerts: join(path, 'alerts.yaml'),
    privacy: join(path, 'privacy.yaml'),
    personKeys: join(path, 'person-keys'),
  };
}

/**
 * Returns the names of the files, and makes the folder if it does not exist, empty and for its owner alone.
 *
 * @throws MandateError FOLDER_NOT_USABLE if it cannot be made
 */
export function makeDataFolder(path: string): DataFolder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw folderNotUsable(`the data folder ${path} cannot be made`, cause);
  }
  return dataFolder(path);
}

export function folderNotUsable(what: string, cause: unknown): MandateError {
  return new MandateError('FOLDER_NOT_USABLE', what, {
    remedy:
      'Check that its path is a folder, that this user may write to it and that its disk has room. Or choose another data ' +
      'directory (--data).',
    cause,
  });
}
