/** `mandate dead-letters`, against a plane with unreadable records on its log. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { planeForCommands } from './plane-for-commands.ts';
import { jsonLines } from './run-mandate.ts';

const { folder, data, mandate, audited } = planeForCommands();

const BROKEN = { event: 'action.requested', action: { id: 'd1', agentId: 'bot-d', tool: 'search' } };

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Appends an unreadable record, and returns the id and log position of its dead letter. */
async function deadLetter(agentId: string) {
  const bus = await createSqliteBus({ path: join(data, 'log.sqlite'), log: silentLogger() });
  const value = JSON.stringify({ ...BROKEN, action: { ...BROKEN.action, id: `of-${agentId}`, agentId } });
  await bus.append(TOPICS.actions, [{ key: `default/${agentId}`, value, headers: { traceparent: TRACE } }]);
  await bus.close();
  const { id, partition, offset } = await waitUntil('the dead letter', async () =>
    jsonLines<{ id: string; key: string; partition: number; offset: number }>(
      (await mandate(['dead-letters', 'list', '--json'])).stdout,
    ).find(({ key }) => key === `default/${agentId}`),
  );
  return { id, place: `${partition}/${offset}` };
}

test('are listed and shown, with a mark at the fault in the text', async () => {
  const { id, place } = await deadLetter('bot-d1');
  expect((await mandate(['dead-letters', 'list'])).stdout).toMatch(new RegExp(`\n${place} `));
  const { stdout } = await mandate(['dead-letters', 'show', place]);
  expect(stdout).toContain(`id        ${id}\n`);
  expect(stdout).toContain('\n    "agentId": "bot-d1",\n');
  expect(stdout).toMatch(/\n\/\/ +\^ \/action\/type .*\n/);
  expect(stdout).toContain(`trace     ${TRACE}\n`);
  expect(stdout).toContain('published again\n  never\n');
  expect((await mandate(['dead-letters', 'show', '0/999'])).stderr).toContain('DEAD_LETTER_NOT_FOUND');
});

test('dead letters can be corrected in a file and republished once; the command shows the difference, and the history shows the republication', async () => {
  const { id, place } = await deadLetter('bot-d2');
  const republish = (record: object, ...more: string[]) => {
    const file = join(folder, 'record.json');
    writeFileSync(file, JSON.stringify(record));
    return mandate(['dead-letters', 'republish', place, '--file', file, ...more]);
  };
  const { text } = JSON.parse((await mandate(['dead-letters', 'show', place, '--json'])).stdout);
  const record = JSON.parse(text);
  const bad = await republish({ ...record, action: { ...record.action, type: 'tool' } });
  expect(bad).toMatchObject({ exitCode: 2, stdout: '' });
  expect(bad.stderr).toContain('cannot be read either');

  const open = async () => (await mandate(['dead-letters', 'list', '--open'])).stdout;
  await waitUntil('it is open', async () => (await open()).includes(id));
  const corrected = { ...record, action: { ...record.action, type: 'tool_call' } };
  const change = ['--reason', 'a type was missing'];
  const tried = await republish(corrected, ...change, '--dry-run');
  expect(tried.stdout).toMatch(/\n\+ {5}"type": "tool_call"\n.*\n.*\nnothing was published\n$/);
  const unchanged = await mandate(['dead-letters', 'republish', place, '--dry-run']);
  expect(unchanged).toMatchObject({ exitCode: 0, stdout: 'nothing was published\n' });
  const asJson = await mandate(['dead-letters', 'republish', place, '--dry-run', '--json']);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ deadLetter: expect.objectContaining({ id }) });
  const fixed = await republish(corrected, ...change);
  expect(fixed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(fixed.stdout).toContain(`published ${place} again, as ${TOPICS.actions}/`);
  const again = await republish(corrected, ...change);
  expect(again.exitCode).toBe(1);
  expect(again.stderr).toContain('ALREADY_REPUBLISHED');
  expect((await mandate(['dead-letters', 'republish', place])).stderr).toContain('ALREADY_REPUBLISHED');

  await audited('of-bot-d2');
  await waitUntil('it is open no more', async () => !(await open()).includes(id));
  const told = await waitUntil('its history', async () => {
    const { stdout } = await mandate(['dead-letters', 'show', id]);
    return stdout.includes('of-bot-d2 ALLOW') && stdout;
  });
  expect(told).toMatch(/ by .+, corrected \(a type was missing\), as .+: of-bot-d2 ALLOW ALLOWED, dec_/);
});

test('are republished unchanged, or with the text of a file', async () => {
  const { id, place } = await deadLetter('bot-d4');
  const corrected = join(folder, 'corrected.json');
  const action = { id: 'd4', agentId: 'bot-d4', type: 'tool_call', tool: 'search' };
  writeFileSync(corrected, JSON.stringify({ event: 'action.requested', action }));
  expect((await mandate(['dead-letters', 'republish', place, '--file', corrected])).exitCode).toBe(0);
  await audited('d4');
  const same = await mandate(['dead-letters', 'republish', id, '--again', '--json']);
  expect(JSON.parse(same.stdout)).toMatchObject({ deadLetterId: id, corrected: false });
});

test('operators can rehearse a dead letter as docs/operations.md says', async () => {
  const root = join(import.meta.dirname, '../../..');
  const guide = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const [, script = ''] = /^```sh\n(node --input-type=module .*?)^```$/ms.exec(guide) ?? [];
  const here = script.replace('.mandate/log.sqlite', `'${join(data, 'log.sqlite')}'`);
  const ran = spawnSync('bash', ['-c', here], { cwd: root, encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 0, stdout: '', stderr: '' });
  const { partition, offset } = await waitUntil('the dead letter', async () =>
    jsonLines<{ key: string; partition: number; offset: number }>(
      (await mandate(['dead-letters', 'list', '--json'])).stdout,
    ).find(({ key }) => key === 'default/bot'),
  );
  const place = `${partition}/${offset}`;
  const corrected = join(folder, 'rehearsal.json');
  const action = { id: 'rehearsal', agentId: 'bot', type: 'tool_call', tool: 'search' };
  writeFileSync(corrected, JSON.stringify({ event: 'action.requested', action }));
  const fixed = await mandate(['dead-letters', 'republish', place, '--file', corrected]);
  expect(fixed).toMatchObject({ exitCode: 0, stderr: '' });
  await audited('rehearsal');
});
