import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isGone, processIdentity } from './process-identity.ts';

test('does not report this process as gone', () => {
  expect(isGone(processIdentity())).toBe(false);
});

test('reports a process as gone if it has ended, or if another process now has its number', async () => {
  const [space, , start] = JSON.parse(processIdentity());
  const child = spawn(process.execPath, ['--eval', '']);
  const { pid } = child;
  await once(child, 'exit');
  expect(isGone(JSON.stringify([space, pid, start]))).toBe(true);
  expect(isGone(JSON.stringify([space, process.pid, 'another start']))).toBe(true);
});

test('never reports a process of another machine or container as gone', () => {
  expect(isGone(JSON.stringify(['another', 1_234_567, '1']))).toBe(false);
});
