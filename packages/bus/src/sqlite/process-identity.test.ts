import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isGone, processIdentity } from './process-identity.ts';

test('this process is not gone', () => {
  expect(isGone(processIdentity())).toBe(false);
});

test('a process that has ended is gone, and so is one whose number another has', async () => {
  const [space, , start] = JSON.parse(processIdentity());
  const child = spawn(process.execPath, ['--eval', '']);
  const { pid } = child;
  await once(child, 'exit');
  expect(isGone(JSON.stringify([space, pid, start]))).toBe(true);
  expect(isGone(JSON.stringify([space, process.pid, 'another start']))).toBe(true);
});

test('of another machine or container nothing is known', () => {
  expect(isGone(JSON.stringify(['another', 1_234_567, '1']))).toBe(false);
});
