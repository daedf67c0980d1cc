/** The data folder of one machine, and the names of its files. All processes of the machine share the folder. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MandateError } from './errors.ts';

/** The default data folder of a process. It is relative to the folder in which the process was started. */
export const DEFAULT_DATA_PATH = '.mandate';

export type DataFolder = {
  path: string;
  /** The lock of the deciding process. Only one process may decide, because each log has one ledger in memory. */
  lock: string;
  log: string;
  /** A snapshot of the ledger. It only makes a start faster. */
  snapshot: string;
  /** A snapshot of agents, policies and rules. It only makes a start faster. */
  controlSnapshot: string;
  /** The directory of the audit. The recorder has it open. Without a recorder the query service has it open. */
  audit: string;
  keys: string;
  /** The secret for fingerprints of redacted values. */
  secret: string;
  /** The file of mandates, unless a setting names another file. */
  mandates: string;
  /** The file of alert rules, unless a setting names another file. It may be absent. */
  alerts: string;
  /** The file of the runner, unless a setting names another file. It may be absent. */
  runner: string;
  /** The file of the model gateway, unless a setting names another file. It may be absent. */
  models: string;
  /** The file of the identity provider, unless a setting names another file. It may be absent. */
  oidc: string;
  /** The file of rules for redacting personal data, unless a setting names another file. It may be absent. */
  privacy: string;
  /** The folder of keys that decrypt sealed data of persons. It is created when the first value is sealed. */
  personKeys: string;
};

/** Returns the names of the files in the folder at `path`. Does not read or create anything. */
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
    runner: join(path, 'runner.yaml'),
    models: join(path, 'models.yaml'),
    oidc: join(path, 'oidc.yaml'),
    privacy: join(path, 'privacy.yaml'),
    personKeys: join(path, 'person-keys'),
  };
}

/**
 * Returns the names of the files. Creates a missing folder that only its owner can use.
 *
 * @throws MandateError FOLDER_NOT_USABLE if the folder cannot be created
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
