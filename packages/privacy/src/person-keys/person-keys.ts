/**
 * The keys of all persons are in one secret file, the same on every gateway. This module seals and unseals with them.
 * Nothing is stored about a person who was not erased. An erased person is a missing leaf in the tree (key-tree.ts).
 *
 * A person is erased in this process as soon as `erase` is called, and in the file when `erase` resolves. An erased
 * person is never restored from the file into memory. Every write removes from the file all persons that this process
 * ever erased. So a file that is restored from a backup while a process runs restores no person.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, promises as fs } from 'node:fs';
import { MandateError, sharedByRequests, withFileLock } from '@mandate/runtime';
import type { Sealer } from '../sealer.ts';
import { keyFileText, type PersonKeyFile, readKeyFileText, sumIn } from './key-file-text.ts';
import { hasLeaf, type KeyTree, leafKey, plantTree, puncture } from './key-tree.ts';
import { keysIdOf, personIndex } from './person-index.ts';
import { replaceSecretFile, wipeLeftovers } from './replace-secret-file.ts';
import {
  looksSealed,
  type PersonSecrets,
  readToken,
  refOf,
  sealText,
  secretsOf,
  unsealText,
} from './sealed-text.ts';

/**
 * The result of unsealing a token. `unknown`: the text is not sealed, or was sealed with other keys or for another
 * tenant.
 */
export type Unsealed = { text: string } | { erased: true } | { unknown: true };

/**
 * The data found for a person. `ref` is the beginning of every sealed text of the person. `pseudonym` is null after
 * the person was erased.
 */
export type PersonFound = { ref: string; pseudonym: string | null; erased: boolean };

export type Erasure = { tenant: string; index: string };

/** Until the file is open, every call that needs the keys throws PERSON_KEYS_NOT_READY. */
export type PersonKeys = Sealer & {
  /** Returns the id of the file. Null until the file is open. */
  id(): string | null;
  /** Opens the file if it exists. True if the file exists. Throws PERSON_KEYS_EXPOSED or PERSON_KEYS_INVALID. */
  open(): Promise<boolean>;
  /**
   * Opens the file, and makes it if it does not exist. If several processes call this at once, one of them makes the
   * file.
   */
  make(): Promise<void>;
  find(tenant: string, person: string): PersonFound;
  unseal(tenant: string, token: string): Unsealed;
  /**
   * Erases persons. Throws PERSON_KEYS_NOT_WRITTEN if the file cannot be written. The persons are then erased in this
   * process, but not in the file.
   */
  erase(erasures: readonly Erasure[]): Promise<void>;
};

/** How many persons are cached. To compute a leaf again takes 64 hashes. */
const MOST_CACHED = 10_000;
const LOCK_WAIT_MS = 10_000;

/** Returns the keys of the file at this path. The file is not read yet. */
export function personKeysAt(path: string): PersonKeys {
  let held: { keysId: string; indexKey: Uint8Array; tree: KeyTree } | null = null;
  let lastChange: Promise<unknown> = Promise.resolve();
  const cached = new Map<string, PersonSecrets>();
  /** All persons that this process was asked to erase. The key is the index of the person, the value is the id. */
  const erased = new Map<string, string>();
  /** The erased persons that may still be in the file. */
  const unwritten = new Set<string>();
  /**
   * The checksum of the file when this process last read it. If the file is unchanged, the erased persons need not be
   * removed from it again.
   */
  let seen = '';

  function heldNow() {
    if (held === null) throw personKeysNotReady();
    return held;
  }

  function secretsAt(index: string): PersonSecrets | null {
    const known = cached.get(index);
    cached.delete(index);
    const secrets = known ?? computed(index);
    if (secrets === null) return null;
    cached.set(index, secrets);
    const [oldest] = cached.keys();
    if (cached.size > MOST_CACHED && oldest !== undefined) cached.delete(oldest);
    return secrets;
  }

  function computed(index: string): PersonSecrets | null {
    const leaf = leafKey(heldNow().tree, numbered(index));
    return leaf && secretsOf(leaf);
  }

  function personOf(tenant: string, person: string) {
    const { keysId, indexKey } = heldNow();
    const index = personIndex(indexKey, tenant, person);
    return { ref: refOf(keysId, index), secrets: secretsAt(index) };
  }

  function hold(text: string): void {
    const { indexKey, tree } = keysIn(text, path);
    held = { keysId: keysIdOf(indexKey), indexKey, tree };
    seen = sumIn(text);
  }

  /**
   * Runs changes one after another. The lock works between processes, but has no queue. Without the lock a file could
   * be overwritten while it is read. If the path is a link, the linked file is locked and changed, because other
   * links may lead to it.
   */
  function alone<T>(work: (file: string) => Promise<T>): Promise<T> {
    const done = lastChange.then(async () => {
      const file = await linkedFrom(path);
      return withFileLock(file, LOCK_WAIT_MS, () => work(file));
    });
    lastChange = done.catch(() => {});
    return done;
  }

  async function punctureFile(file: string): Promise<void> {
    const text = await readSecretFile(file);
    const writing = [...unwritten];
    const isAsSeen = text === null || sumIn(text) === seen;
    const { indexKey, tree } = isAsSeen ? heldNow() : punctured(keysIn(text, path));
    const after = keyFileText({ indexKey, tree });
    if (after !== text) await replaceSecretFile(file, after);
    else await wipeLeftovers(file);
    seen = sumIn(after);
    for (const index of writing) unwritten.delete(index);
  }

  /** Removes the erased persons from a file that another process wrote or a backup restored. */
  function punctured({ indexKey, tree }: PersonKeyFile): PersonKeyFile {
    if (keysIdOf(indexKey) !== heldNow().keysId) throw anotherFile(path);
    return { indexKey, tree: puncture(tree, [...erased.keys()].map(numbered)) };
  }

  return sharedByRequests<PersonKeys>({
    id: () => held?.keysId ?? null,
    async open() {
      if (held !== null) return true;
      if (!existsSync(path)) return false;
      await alone(async (file) => {
        const text = await readSecretFile(file);
        if (text !== null) hold(text);
        await wipeLeftovers(file);
      });
      return held !== null;
    },
    make: () =>
      alone(async (file) => {
        // Keeps the keys that are in memory. They may lack erased persons that the file still contains.
        if (held !== null) return;
        const there = await readSecretFile(file);
        const text = there ?? keyFileText(newKeyFile());
        if (there === null) await replaceSecretFile(file, text);
        hold(text);
      }),
    find(tenant, person) {
      const { ref, secrets } = personOf(tenant, person);
      return { ref, pseudonym: secrets?.pseudonym ?? null, erased: secrets === null };
    },
    seal(tenant, person, text) {
      const { ref, secrets } = personOf(tenant, person);
      return secrets && sealText(secrets, { ref, tenant }, text);
    },
    pseudonym: (tenant, person) => personOf(tenant, person).secrets?.pseudonym ?? null,
    isSealed: looksSealed,
    unseal(tenant, token) {
      const { keysId } = heldNow();
      const read = readToken(token);
      if (read === null || read.keysId !== keysId) return { unknown: true };
      const secrets = secretsAt(read.index);
      if (secrets === null) {
        return (erased.get(read.index) ?? tenant) === tenant ? { erased: true } : { unknown: true };
      }
      const text = unsealText(secrets, { ref: refOf(keysId, read.index), tenant }, read.sealed);
      return text === null ? { unknown: true } : { text };
    },
    async erase(erasures) {
      const now = heldNow();
      for (const { tenant, index } of erasures) {
        if (hasLeaf(now.tree, numbered(index))) unwritten.add(index);
        erased.set(index, tenant);
        cached.delete(index);
      }
      const indexes = erasures.map(({ index }) => numbered(index));
      held = { ...now, tree: puncture(now.tree, indexes) };
      if (!erasures.some(({ index }) => unwritten.has(index))) return;
      await alone(punctureFile).catch((cause) => {
        throw notWritten(path, cause);
      });
    },
  });
}

export function personKeysNotReady(): MandateError {
  return new MandateError('PERSON_KEYS_NOT_READY', 'the keys of persons are not open yet', {
    remedy: 'Try again in a moment. If the error persists, the log of this gateway says why.',
    retryable: true,
  });
}

function numbered(index: string): bigint {
  return BigInt(`0x${index}`);
}

function newKeyFile(): PersonKeyFile {
  return { indexKey: randomBytes(32), tree: plantTree(randomBytes(32)) };
}

/** Returns the path of the linked file, or the path itself if no file exists yet. */
async function linkedFrom(path: string): Promise<string> {
  return fs.realpath(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return path;
    throw error;
  });
}

/** Returns null if the file does not exist. */
async function readSecretFile(path: string): Promise<string | null> {
  const file = await fs.open(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const { mode } = await file.stat();
    if ((mode & 0o077) !== 0) throw exposed(path);
    return (await file.readFile()).toString('latin1');
  } finally {
    await file.close();
  }
}

function keysIn(text: string, path: string): PersonKeyFile {
  const read = readKeyFileText(text);
  if (read === null) throw invalid(path);
  return read;
}

function exposed(path: string): MandateError {
  return new MandateError('PERSON_KEYS_EXPOSED', `users other than its owner may read or change ${path}`, {
    remedy: `Run: chmod 600 ${path}. Other users who have read the file can read all sealed texts.`,
  });
}

function invalid(path: string): MandateError {
  return new MandateError('PERSON_KEYS_INVALID', `${path} is not a whole file of keys of persons`, {
    remedy:
      'Restore the file from a backup, or from another gateway. Without it, no sealed text can be read.',
  });
}

function anotherFile(path: string): MandateError {
  return new MandateError('PERSON_KEYS_DIFFER', `${path} was replaced by the keys of another plane`, {
    remedy: 'Restore the file with which this gateway was started.',
  });
}

function notWritten(path: string, cause: unknown): MandateError {
  return new MandateError(
    'PERSON_KEYS_NOT_WRITTEN',
    `the person is erased, but the key is still in ${path}, which cannot be changed now`,
    {
      remedy: 'The gateway tries again until the file can be changed, also after a restart. Check the disk.',
      retryable: true,
      cause,
    },
  );
}
