import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { holdExclusively } from '@mandate/runtime';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keyFileText, readKeyFileText } from './key-file-text.ts';
import { plantTree } from './key-tree.ts';
import { type PersonKeys, personKeysAt } from './person-keys.ts';

const newPath = () => join(temporaryFolder(), 'person-keys');

async function made(path = newPath()): Promise<{ path: string; keys: PersonKeys }> {
  const keys = personKeysAt(path);
  await keys.make();
  return { path, keys };
}

async function opened(path: string): Promise<PersonKeys> {
  const keys = personKeysAt(path);
  expect(await keys.open()).toBe(true);
  return keys;
}

function sealed(keys: PersonKeys, text: string, person = 'mia', tenant = 'acme'): string {
  const token = keys.seal(tenant, person, text);
  if (token === null) throw new Error(`${person} is erased`);
  return token;
}

const erasureOf = (keys: PersonKeys, person: string, tenant = 'acme') => ({
  tenant,
  index: keys.find(tenant, person).ref.slice(-16),
});
const mode = async (path: string) => ((await fs.stat(path)).mode & 0o777).toString(8);

test('seals nothing before the file is open', async () => {
  const path = newPath();
  const keys = personKeysAt(path);
  expect(await keys.open()).toBe(false);
  expect(keys.id()).toBeNull();
  const notReady = expect.objectContaining({ code: 'PERSON_KEYS_NOT_READY', retryable: true });
  expect(() => keys.seal('acme', 'mia', 'text')).toThrow(notReady);
  expect(() => keys.pseudonym('acme', 'mia')).toThrow(notReady);
  await keys.make();
  expect(keys.seal('acme', 'mia', 'text')).toMatch(/^sealed:v1:/);
});

test('makes the file once, readable for its owner alone, and always gives the same keys after that', async () => {
  const path = newPath();
  const all = Array.from({ length: 4 }, () => personKeysAt(path));
  await Promise.all(all.map((keys) => keys.make()));
  const tokens = all.map((keys) => sealed(keys, 'hello'));
  expect(new Set(tokens).size).toBe(1);
  expect(await mode(path)).toBe('600');
  const later = await opened(path);
  expect(later.unseal('acme', tokens[0] ?? '')).toEqual({ text: 'hello' });
  expect(later.pseudonym('acme', 'mia')).toBe(all[0]?.pseudonym('acme', 'mia'));
});

test('erases only the given person, at once and for every later start', async () => {
  const { path, keys } = await made();
  const [mias, bens] = [sealed(keys, 'of mia'), sealed(keys, 'of ben', 'ben')];
  const found = keys.find('acme', 'mia');
  expect(found).toEqual({
    ref: mias.slice(0, 43),
    pseudonym: expect.stringMatching(/^person:[0-9a-f]{32}$/),
    erased: false,
  });
  const erasing = keys.erase([erasureOf(keys, 'mia')]);
  const goneIn = (held: PersonKeys) => {
    expect(held.unseal('acme', mias)).toEqual({ erased: true });
    expect(held.seal('acme', 'mia', 'more')).toBeNull();
    expect(held.pseudonym('acme', 'mia')).toBeNull();
    expect(held.find('acme', 'mia')).toEqual({ ref: found.ref, pseudonym: null, erased: true });
    expect(held.unseal('acme', bens)).toEqual({ text: 'of ben' });
    expect(held.find('bravo', 'mia').erased).toBe(false);
  };
  goneIn(keys);
  await erasing;
  goneIn(keys);
  goneIn(await opened(path));
});

test('treats a token of another tenant, of other keys or of no person as unknown, before and after an erasure', async () => {
  const [{ keys }, others] = [await made(), await made()];
  const mias = sealed(keys, 'of mia');
  const garbage = [
    '',
    'text',
    '__proto__',
    mias.slice(0, -2),
    `${mias} `,
    `x${mias}`,
    `sealed:v1:${'a'.repeat(500_000)}.`,
  ];
  const seen = () => [
    keys.unseal('bravo', mias),
    others.keys.unseal('acme', mias),
    ...garbage.map((token) => keys.unseal('acme', token)),
  ];
  expect(seen()).toEqual(seen().map(() => ({ unknown: true })));
  await keys.erase([erasureOf(keys, 'mia')]);
  expect(seen()).toEqual(seen().map(() => ({ unknown: true })));
});

test('keeps the erasures of two processes that erase in one folder at the same time', async () => {
  const { path, keys } = await made();
  const other = await opened(path);
  await Promise.all([keys.erase([erasureOf(keys, 'mia')]), other.erase([erasureOf(other, 'ben')])]);
  const later = await opened(path);
  expect(['mia', 'ben', 'kim'].map((person) => later.find('acme', person).erased)).toEqual([
    true,
    true,
    false,
  ]);
});

test('waits to read a file while another process overwrites it', async () => {
  const { path } = await made();
  const elsewhere = holdExclusively(`${path}.lock`, 'the keys');
  const reading = vi.spyOn(fs, 'open');
  onTestFinished(() => reading.mockRestore());
  const starting = opened(path);
  await new Promise((resolve) => setImmediate(resolve));
  expect(reading).not.toHaveBeenCalled();
  elsewhere.release();
  await starting;
  expect(reading).toHaveBeenCalledWith(path);
});

test('restores no person if a backup replaces the file of a running process, and erases again in that file at the next erasure', async () => {
  const { path, keys } = await made();
  const backup = await fs.readFile(path);
  await keys.erase([erasureOf(keys, 'mia')]);
  await fs.writeFile(path, backup);
  await keys.erase([erasureOf(keys, 'ben')]);
  expect(keys.find('acme', 'mia').erased).toBe(true);
  expect((await opened(path)).find('acme', 'mia').erased).toBe(true);
});

test('erases again in a file from a backup if the same erasures are repeated', async () => {
  const { path, keys } = await made();
  const backup = await fs.readFile(path);
  const erasures = [erasureOf(keys, 'mia'), erasureOf(keys, 'ben')];
  await keys.erase(erasures);
  const punctured = await fs.readFile(path);
  await fs.writeFile(path, backup);
  const restored = await opened(path);
  expect(restored.find('acme', 'mia').erased).toBe(false);
  await restored.erase([...erasures.toReversed(), ...erasures]);
  expect(await fs.readFile(path)).toEqual(punctured);
});

test('overwrites the old content of the file, and files that a crash left beside it', async () => {
  const { path, keys } = await made();
  const old = await fs.open(path, 'r');
  await fs.writeFile(`${path}.new`, 'a draft of before', { mode: 0o600 });
  const draft = await fs.open(`${path}.new`, 'r');
  await keys.erase([erasureOf(keys, 'mia')]);
  for (const file of [old, draft]) {
    const bytes = await file.readFile();
    expect(bytes.length).toBeGreaterThan(0);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    await file.close();
  }
  expect((await fs.readdir(join(path, '..'))).sort()).toEqual(['person-keys', 'person-keys.lock']);
});

test('removes only the link if a link has the name of a leftover file', async () => {
  const path = newPath();
  const theirs = newPath();
  await fs.writeFile(theirs, 'not ours');
  for (const leftover of [`${path}.old`, `${path}.new`]) await fs.symlink(theirs, leftover);
  await made(path);
  expect(await fs.readFile(theirs, 'utf8')).toBe('not ours');
  await expect(fs.lstat(`${path}.old`)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('loses nothing if a crash comes after the old text has got a second name and before the new text is written', async () => {
  const { path, keys } = await made();
  const token = sealed(keys, 'text');
  await fs.link(path, `${path}.old`);
  expect((await opened(path)).unseal('acme', token)).toEqual({ text: 'text' });
  expect((await opened(path)).unseal('acme', token)).toEqual({ text: 'text' });
});

test('reports a file that cannot be written, and writes the file at the next try, even without a new erasure', async () => {
  const { path, keys } = await made();
  const erasure = erasureOf(keys, 'mia');
  await fs.mkdir(`${path}.new`);
  await expect(keys.erase([erasure])).rejects.toMatchObject({
    code: 'PERSON_KEYS_NOT_WRITTEN',
    retryable: true,
  });
  await fs.rmdir(`${path}.new`);
  // The file still contains the person's key. But a person who is erased in memory is never restored from the file.
  await keys.open();
  await keys.make();
  expect(keys.find('acme', 'mia').erased).toBe(true);
  await keys.erase([erasure]);
  expect((await opened(path)).find('acme', 'mia').erased).toBe(true);
});

test('changes the linked file itself, which several gateways share', async () => {
  const { path: shared, keys } = await made();
  const links = [newPath(), newPath()];
  for (const link of links) await fs.symlink(shared, link);
  const [one, other] = await Promise.all(links.map(opened));
  const bens = sealed(keys, 'of ben', 'ben');
  await Promise.all([one?.erase([erasureOf(keys, 'mia')]), other?.erase([erasureOf(keys, 'eve')])]);
  for (const path of [shared, ...links]) {
    const again = await opened(path);
    expect(['mia', 'eve'].map((person) => again.find('acme', person).erased)).toEqual([true, true]);
    expect(again.unseal('acme', bens)).toEqual({ text: 'of ben' });
  }
});

test('makes a repeated erasure wait for the first erasure', async () => {
  const { path, keys } = await made();
  const elsewhere = holdExclusively(`${path}.lock`, 'the keys');
  const erasure = erasureOf(keys, 'mia');
  const first = keys.erase([erasure]);
  const done = vi.fn();
  const again = keys.erase([erasure]).then(done);
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).not.toHaveBeenCalled();
  elsewhere.release();
  await first;
  await again;
  expect((await opened(path)).find('acme', 'mia').erased).toBe(true);
});

test.each([
  ['that others may read', 'PERSON_KEYS_EXPOSED', (path: string) => fs.chmod(path, 0o640)],
  [
    'that was cut off',
    'PERSON_KEYS_INVALID',
    async (path: string) => fs.truncate(path, (await fs.stat(path)).size - 80),
  ],
  ['that is empty', 'PERSON_KEYS_INVALID', (path: string) => fs.truncate(path)],
])('refuses a file %s', async (_, code, spoil) => {
  const { path, keys } = await made();
  await keys.erase([erasureOf(keys, 'mia')]);
  await spoil(path);
  await expect(personKeysAt(path).open()).rejects.toMatchObject({ code });
  await expect(personKeysAt(path).make()).rejects.toMatchObject({ code });
});

test('does not change a file of other keys that has replaced the file of a running process', async () => {
  const [{ path, keys }, other] = [await made(), await made()];
  await fs.copyFile(other.path, path);
  const before = await fs.readFile(path);
  await expect(keys.erase([erasureOf(keys, 'mia')])).rejects.toMatchObject({
    cause: expect.objectContaining({ code: 'PERSON_KEYS_DIFFER' }),
  });
  expect(await fs.readFile(path)).toEqual(before);
});

test('reads back the text of a file, and rejects the text if one character differs', () => {
  const file = { indexKey: Buffer.alloc(32, 1), tree: plantTree(Buffer.alloc(32, 2)) };
  const text = keyFileText(file);
  expect(readKeyFileText(text)).toEqual(file);
  for (let at = 0; at < text.length; at += 1) {
    const other = text[at] === 'a' ? 'b' : 'a';
    expect(readKeyFileText(`${text.slice(0, at)}${other}${text.slice(at + 1)}`)).toBeNull();
    expect(readKeyFileText(text.slice(0, at))).toBeNull();
  }
});
