/** The folder that everything of one machine lies in, and what its files are called, for every process that shares it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MandateError } from './errors.ts';

/** Where a process keeps everything when no setting says where: below the folder that it was started in. */
export const DEFAULT_DATA_PATH = '.mandate';

export type DataFolder = {
  path: string;
  /** Held by whoever decides: there is one ledger in memory to one log. */
  lock: string;
  log: string;
  /** Of the ledger: only makes a start faster. */
  snapshot: string;
  /** Of agents, policies and rules: likewise. */
  controlSnapshot: string;
  /** A directory of its own, held by whoever records or, when nobody does, by whoever asks. */
  audit: string;
  keys: string;
  /** With which what is redacted is fingerprinted. */
  secret: string;
  /** Where the mandates are looked for when nothing else is said. */
  mandates: string;
  /** The same of the rules of alerts, which need not be there. */
  alerts: string;
  /** And of what of people is kept from the record. */
  privacy: string;
  /** With which what is sealed of people can be read; made where something is. */
  personKeys: string;
};

/** What things are called in the folder at `path`; nothing is looked at or made. */
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
 * The same, and makes the folder if there is none, empty and for its owner alone.
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
