/** A mandates file that somebody writes to in the very moment in which it is read. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@mandate/runtime';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openMandatesFile } from './mandates-file.ts';

const reading = vi.hoisted(() => ({ behind: (): void => {} }));

vi.mock('node:fs', async (importReal) => {
  const real = await importReal<typeof import('node:fs')>();
  const readFileSync = (...given: Parameters<typeof real.readFileSync>) => {
    const text = real.readFileSync(...given);
    reading.behind();
    return text;
  };
  return { ...real, readFileSync };
});

test('what was read of a file that changed meanwhile is not taken, good as it reads; the next look takes the whole', () => {
  const path = join(temporaryFolder(), 'mandates.yaml');
  writeFileSync(path, 'version: 1\nid: one\nagents: ["*"]\n');
  const file = openMandatesFile({ path, log: silentLogger() });
  onTestFinished(() => file.stop());

  // Of another size, as the file system's clock may not have moved on since.
  writeFileSync(path, 'version: 1\nid: second\nagents: ["*"]\n');
  reading.behind = () => {
    reading.behind = () => {};
    appendFileSync(path, 'maxCostTotal: 5\n');
  };
  file.look();
  file.look();
  expect(file.control()).toMatchObject({ revision: 1, mandates: [{ reference: { id: 'one' } }] });
  file.look();
  expect(file.control()).toMatchObject({
    revision: 2,
    mandates: [{ reference: { id: 'second' }, maxCostTotalMicros: 5_000_000 }],
  });
});
