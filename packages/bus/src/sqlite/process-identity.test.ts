import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isGone, processIdentity } from './process-identity.ts';

test('does not call this process gone', () => {
  expect(isGone(processIdentity())).toBe(false);
});

test('calls a process gone if it has ended, or if another process has its number', async () => {
  const [space, , start] = JSON.parse(processIdentity());
  const child = spawn(process.execPath, ['--eval', '']);
  const { pid } = child;
  await once(child, 'exit');
  expect(isGone(JSON.stringify([space, pid, start]))).toBe(true);
  expect(isGone(JSON.stringify([space, process.pid, 'another start']))).toBe(true);
});

test('calls no process of another machine or container gone', () => {
  expect(isGone(JSON.stringify(['another', 1_234_567, '1']))).toBe(false);
});
