import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test.each([
  ['loads nothing of OpenTelemetry if traces are off', [], { isOn: false, loaded: 0 }],
  [
    'loads OpenTelemetry if traces are on',
    ['http://127.0.0.1:9'],
    { isOn: true, loaded: expect.toSatisfy((n) => n > 3) },
  ],
])('%s', async (_, args, expected) => {
  const fixture = join(import.meta.dirname, 'open-tracer.fixture.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [fixture, ...args]);
  expect(JSON.parse(stdout)).toEqual(expected);
});
