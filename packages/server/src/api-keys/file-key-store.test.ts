import { pbkdf2 } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { holdExclusively } from '@mandate/runtime';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { issueApiKey } from './api-key-record.ts';
import { fileKeyStore } from './file-key-store.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), 'mandate-keys-'));
  path = join(folder, 'keys.json');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await fs.rm(folder, { recursive: true, force: true });
});

/** Advances the clock of the store by one second. */
function aSecondLater() {
  const laterMs = performance.now() + 1_000;
  vi.spyOn(performance, 'now').mockReturnValue(laterMs);
}

const issue = () => issueApiKey({ tenant: 'default', scopes: ['publish'], agents: ['*'], name: 'n' });
const mode = async (file: string) => ((await fs.stat(file)).mode & 0o777).toString(8);

describe('fileKeyStore', () => {
  test('admits keys while all threads of the process are busy', async () => {
    const { key, record } = issue();
    await fileKeyStore(path).add(record);
    const store = fileKeyStore(path);
    let areBusy = true;
    // Node has four threads by default. Eight tasks keep each thread busy twice.
    const busy = Promise.all(
      Array.from({ length: 8 }, () => promisify(pbkdf2)('secret', 'salt', 100_000, 64, 'sha512')),
    ).finally(() => {
      areBusy = false;
    });
    expect(await store.find(key)).toEqual(record);
    expect(areBusy).toBe(true);
    await busy;
  });

  test('has no keys if the file is absent, creates the file for its owner only, and does not write the key itself into the file', async () => {
    const store = fileKeyStore(path);
    const { key, record } = issue();
    expect(await store.find(key)).toBeNull();
    await store.add(record);
    expect(await store.find(key)).toEqual(record);
    expect(await mode(path)).toBe('600');
    expect(await fs.readFile(path, 'utf8')).not.toContain(key.slice(20, 63));
    expect(await fs.readdir(folder)).toEqual(['keys.json', 'keys.json.lock']);
  });

  test('reads keys that another store wrote', async () => {
    const { key, record } = issue();
    await fileKeyStore(path).add(record);
    expect(await fileKeyStore(path).list()).toEqual([record]);
    expect(await fileKeyStore(path).find(key)).toEqual(record);
  });

  test('admits a key with a scope of a newer version, and keeps this scope', async () => {
    const store = fileKeyStore(path);
    const [known, newer, last] = [issue(), issue(), issue()];
    await store.add(known.record);
    await store.add(newer.record);
    const text = await fs.readFile(path, 'utf8');
    const at = text.lastIndexOf('"publish"');
    await fs.writeFile(path, `${text.slice(0, at)}"foresee", ${text.slice(at)}`);
    aSecondLater();
    expect(await store.find(known.key)).toEqual(known.record);
    await store.add(last.record);
    expect(await store.find(newer.key)).toEqual({ ...newer.record, scopes: ['foresee', 'publish'] });
  });

  test('admits a key issued by another store at once, even right after a check of the file', async () => {
    const store = fileKeyStore(path);
    expect(await store.list()).toEqual([]);
    const { key, record } = issue();
    await fileKeyStore(path).add(record);
    expect(await store.find(key)).toEqual(record);
  });

  test('stops admitting a key within a second after another store revoked it', async () => {
    const store = fileKeyStore(path);
    const { key, record } = issue();
    await store.add(record);
    expect(await store.find(key)).not.toBeNull();

    const elsewhere = fileKeyStore(path, { clock: () => Date.UTC(2026, 5, 1) });
    expect(await elsewhere.revoke(record.id)).toEqual({ ...record, revokedAt: '2026-06-01T00:00:00.000Z' });
    aSecondLater();
    expect(await store.find(key)).toBeNull();
  });

  test('revokes known keys only, and keeps the time of the first revocation', async () => {
    const { record } = issue();
    let nowMs = Date.UTC(2026, 0, 1);
    const store = fileKeyStore(path, { clock: () => nowMs });
    await store.add(record);
    expect(await store.revoke('unknown')).toBeNull();
    const first = await store.revoke(record.id);
    nowMs += 1_000;
    expect(await store.revoke(record.id)).toEqual(first);
  });

  test('admits no key from a file that others may read, and recommends chmod 600', async () => {
    const { key, record } = issue();
    await fileKeyStore(path).add(record);
    for (const exposed of [0o640, 0o604, 0o620]) {
      await fs.chmod(path, exposed);
      await expect(fileKeyStore(path).find(key)).rejects.toMatchObject({
        code: 'KEY_FILE_EXPOSED',
        remedy: expect.stringContaining(`chmod 600 ${path}`),
      });
    }
    await fs.chmod(path, 0o600);
    expect(await fileKeyStore(path).find(key)).toEqual(record);
  });

  test('admits no key while the file is exposed or damaged, until it is corrected', async () => {
    const store = fileKeyStore(path);
    const { key, record } = issue();
    await store.add(record);
    const good = await fs.readFile(path);
    await fs.writeFile(path, '{"version": 1, "keys": [');
    aSecondLater();
    await expect(store.find(key)).rejects.toMatchObject({ code: 'KEY_FILE_INVALID' });
    await fs.writeFile(path, good);
    expect(await store.find(key)).toEqual(record);
    await fs.writeFile(path, Buffer.from(good.toString().replace('"name": "', '"name": "ü'), 'latin1'));
    aSecondLater();
    await expect(store.find(key)).rejects.toMatchObject({ code: 'KEY_FILE_INVALID' });
    await fs.writeFile(path, good);
    aSecondLater();
    expect(await store.find(key)).toEqual(record);
    await fs.chmod(path, 0o644);
    aSecondLater();
    await expect(store.find(key)).rejects.toMatchObject({ code: 'KEY_FILE_EXPOSED' });
  });

  test('loses no key if several stores add keys at the same time', async () => {
    const records = Array.from({ length: 12 }, () => issue().record);
    await Promise.all(records.map((record) => fileKeyStore(path, { lockWaitMs: 60_000 }).add(record)));
    const ids = (await fileKeyStore(path).list()).map((record) => record.id);
    expect(ids.sort()).toEqual(records.map((record) => record.id).sort());
  });

  test('runs the changes of one store one after another, and continues after a failed change', async () => {
    const store = fileKeyStore(path, { lockWaitMs: 0 });
    const records = Array.from({ length: 20 }, () => issue().record);
    const held = holdExclusively(`${path}.lock`, path);
    const failed = store.add(issue().record);
    await expect(failed).rejects.toMatchObject({ code: 'KEY_FILE_LOCKED' });
    held.release();
    await Promise.all(records.map((record) => store.add(record)));
    expect((await store.list()).map(({ id }) => id)).toEqual(records.map(({ id }) => id));
  });

  test('reports a change that waits too long for another process, and is not blocked by a dead process', async () => {
    const { record } = issue();
    const elsewhere = holdExclusively(`${path}.lock`, 'the keys');
    await expect(fileKeyStore(path, { lockWaitMs: 30 }).add(record)).rejects.toMatchObject({
      code: 'KEY_FILE_LOCKED',
      retryable: true,
    });
    elsewhere.release();
    await fileKeyStore(path).add(record);
    expect(await fs.readdir(folder)).toContain('keys.json.lock');
  });
});
