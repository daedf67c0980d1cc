/**
 * Tests that a new kind of action needs only data, in at most six files. The kind must appear in the decision, in its
 * record, in its row and in an export.
 */
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { anotherBuild } from '../../faults/support/another-build.ts';
import { TOY_KIND } from './toy-kind.ts';

const SCRIPT = 'decide-and-record.fixture.ts';

test('a new kind of action needs at most six files, and is decided, recorded, searched and exported', async () => {
  expect(new Set(TOY_KIND.map(({ file }) => file)).size).toBeLessThanOrEqual(6);
  const copy = await anotherBuild(...TOY_KIND);
  cpSync(join(import.meta.dirname, SCRIPT), join(copy, SCRIPT));
  const run = await promisify(execFile)(process.execPath, [join(copy, SCRIPT), temporaryFolder()], {
    maxBuffer: 16 * 1024 * 1024,
  });
  const { decisions, landed, rows, csv } = JSON.parse(run.stdout);

  expect(decisions).toMatchObject([
    {
      ...{ type: 'note_read', verdict: 'ALLOW', obligations: { maxResults: 3 }, tool: null, model: null },
      action: { notebook: 'team', query: 'holidays', context: { token: '[redacted]' } },
    },
    { type: 'note_read', verdict: 'BLOCK', code: 'NOTEBOOK_NOT_ALLOWED' },
  ]);
  expect(decisions[1]).not.toHaveProperty('obligations');
  expect(landed).toEqual({ inserted: 2, quarantined: 0 });
  const allowed = { type: 'note_read', subject: 'team', verdict: 'ALLOW', obligations: '{"maxResults":3}' };
  const refused = { type: 'note_read', subject: 'private', verdict: 'BLOCK', obligations: null };
  expect(rows).toHaveLength(2);
  expect(rows).toEqual(
    expect.arrayContaining([expect.objectContaining(allowed), expect.objectContaining(refused)]),
  );
  expect(csv).toContain('"note_read","team"');
});
