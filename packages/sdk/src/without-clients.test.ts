import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadClient } from './errors.ts';

test('a call that needs a package that is not installed says how to install it', async () => {
  const program = new URL('./without-clients.fixture.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const saying = (name: string) =>
    `INTERNAL_ERROR: The call could not be decided: The package \`${name}\` is not installed. ` +
    `Nothing ran. Tell the operator of the agent. Run \`npm install ${name}\`.`;
  expect(stdout.trim().split('\n')).toEqual([saying('ioredis'), saying('kafkajs')]);
});

test('another error of a client is thrown as it is', async () => {
  const error = new TypeError('the client is broken');
  await expect(loadClient('ioredis', () => Promise.reject(error))).rejects.toBe(error);
});
