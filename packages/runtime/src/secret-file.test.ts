import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { readOrMakeSecret } from './secret-file.ts';

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'secret');
}

test('creates the secret once, for its owner only, and keeps it', () => {
  const path = file();
  const secret = readOrMakeSecret(path);
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(readOrMakeSecret(path)).toBe(secret);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readOrMakeSecret(file())).not.toBe(secret);
});

test('gives the same secret to all services that start at the same time', async () => {
  const folder = dirname(file());
  const names = Array.from({ length: 100 }, (_, n) => `secret-${n}`);
  const source = `
    import { parentPort } from 'node:worker_threads';
    import { readOrMakeSecret } from ${JSON.stringify(new URL('./secret-file.ts', import.meta.url).href)};
    parentPort.on('message', (paths) => parentPort.postMessage(paths.map(readOrMakeSecret)));
    parentPort.postMessage('ready');`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const workers = Array.from({ length: 4 }, () => new Worker(url));
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.terminate()))));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const read = workers.map((worker) =>
    Promise.race([once(worker, 'message'), once(worker, 'error').then(([error]) => Promise.reject(error))]),
  );
  for (const worker of workers) worker.postMessage(names.map((name) => join(folder, name)));
  const [first, ...others] = (await Promise.all(read)).flat();
  for (const other of others) expect(other).toEqual(first);
  expect(readdirSync(folder).sort()).toEqual(names.sort());
});

test('refuses a file with other content', () => {
  const path = file();
  writeFileSync(path, 'half of it');
  expect(() => readOrMakeSecret(path)).toThrow(/does not hold a secret/);
});
