/**
 * Tests `mandate export` from a server with a hundred rows: complete answers, interrupted answers, damaged answers,
 * and continued exports.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { answeringServer } from '../answering-server.fixture.ts';
import { runCommand } from '../run-command.fixture.ts';

const idOf = (n: number) => `dec_${String(n).padStart(3, '0')}`;
const IDS = Array.from({ length: 100 }, (_, n) => idOf(n));

type Spoil = 'cut' | 'lie' | null;

/** @param spoil returns how to damage answer number n; null for no damage */
async function exporting(spoil: (answer: number) => Spoil = () => null) {
  const asked: URLSearchParams[] = [];
  const env = await answeringServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://plane');
    asked.push(searchParams);
    const [after = '', through = '~'] = [searchParams.get('after') ?? '', searchParams.get('through') ?? '~'];
    const behind = IDS.filter((id) => id > after && id <= through);
    const rows = behind.slice(0, Number(searchParams.get('rows') ?? 1_000));
    const text = rows.map((id) => `${JSON.stringify({ id })}\n`).join('');
    const how = spoil(asked.length);
    response.writeHead(200, { trailer: 'mandate-rows', 'transfer-encoding': 'chunked' });
    // The connection breaks after the first bytes of the answer.
    if (how === 'cut') return void response.write(text, () => setImmediate(() => response.destroy()));
    response.write(how === 'lie' ? text.replace('dec_', 'DEC_') : text);
    response.addTrailers({
      'mandate-rows': String(rows.length),
      'mandate-sha256': createHash('sha256').update(text).digest('hex'),
      'mandate-last-id': rows.at(-1) ?? after,
      'mandate-more': String(rows.length < behind.length),
    });
    response.end();
  });
  const folder = join(temporaryFolder(), 'out');
  const run = (...args: string[]) => runCommand(['export', ...args], { env });
  const ids = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ndjson'))
      .sort()
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line).id);
  const manifest = () => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const take = (...args: string[]) => run('decisions', '--out', folder, '--rows', '30', ...args);
  return { folder, run, take, ids, manifest, asked, verify: () => run('verify', folder) };
}

test('writes parts, and a manifest with the facts of each part and the totals', async () => {
  const { take, ids, manifest, asked, verify, folder } = await exporting();
  expect(await take('--agent', 'a', '--agent', 'b', '--from', '2026-01-01')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^100 rows in 4 files, 1700 bytes: /),
  });
  expect(ids()).toEqual(IDS);
  expect(manifest()).toMatchObject({
    of: 'decisions',
    format: 'ndjson',
    query: { agent: ['a', 'b'], from: '2026-01-01T00:00:00.000Z' },
    total: { parts: 4, rows: 100, bytes: 1_700 },
  });
  expect(manifest().parts[1]).toMatchObject({ after: idOf(29), lastId: idOf(59), rows: 30, bytes: 510 });
  expect(asked[0]?.getAll('agent')).toEqual(['a', 'b']);
  expect(readdirSync(folder)).toHaveLength(5);
  expect(await verify()).toMatchObject({ exitCode: 0, stdout: '4 files are as they were written\n' });
});

test.each(['cut', 'lie'] as const)(
  'removes a part that is interrupted or altered (%s), and continues with this part in the next run',
  async (how) => {
    const { take, ids, manifest, asked, verify, folder } = await exporting((answer) =>
      answer === 3 ? how : null,
    );
    const failed = await take();
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(
      /decisions-00003\.ndjson (broke off|did not arrive as it was sent).*\n {2}Run the same command again/s,
    );
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(manifest().parts).toHaveLength(2);
    expect((await verify()).exitCode).toBe(3);
    expect((await take()).exitCode).toBe(0);
    expect(ids()).toEqual(IDS);
    expect(asked).toHaveLength(5);
  },
);

test('downloads a damaged or lost part again, and no other part', async () => {
  const { take, ids, asked, verify, folder } = await exporting();
  await take();
  writeFileSync(join(folder, 'decisions-00002.ndjson'), 'x');
  rmSync(join(folder, 'decisions-00004.ndjson'));
  expect(await verify()).toMatchObject({
    exitCode: 3,
    stdout: expect.stringMatching(
      /^decisions-00002\.ndjson is changed\ndecisions-00004\.ndjson is missing\nRun the same .* again with .*--out.*\n$/,
    ),
  });
  asked.length = 0;
  expect((await take()).exitCode).toBe(0);
  expect(asked.map((query) => [query.get('after'), query.get('through')])).toEqual([
    [idOf(29), idOf(59)],
    [idOf(89), idOf(99)],
  ]);
  expect(ids()).toEqual(IDS);
  expect((await verify()).exitCode).toBe(0);
});

test('refuses a folder that contains another export', async () => {
  const { take, run } = await exporting();
  await take();
  expect(await take('--verdict', 'BLOCK')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('is of another export'),
  });
  expect((await run('decisions')).stderr).toContain("required option '--out <folder>'");
  expect((await run('verify', temporaryFolder())).exitCode).toBe(2);
});

test('refuses a path that is a file, and a path where no folder can be made', async () => {
  const { run, asked } = await exporting();
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'mine');
  // Even root cannot make folders under /proc. The system reports that the path does not exist.
  const places = [file, join(file, 'in'), '/proc/mandate-export/in'];
  const said = await Promise.all(places.map((place) => run('decisions', '--out', place)));
  expect(said.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2]);
  expect(said[0]?.stderr).toMatch(/file is no folder\n {2}With --out, name an existing folder/);
  expect(said[1]?.stderr).toMatch(/file is no folder\n/);
  expect(said[2]?.stderr).toMatch(
    /the folder \/proc\/mandate-export cannot be made: .*\n {2}With --out, name an existing folder/,
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(asked).toEqual([]);
});
