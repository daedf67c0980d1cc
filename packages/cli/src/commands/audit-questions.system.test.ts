/** Tests the commands that ask the audit, with an audit that contains no records. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { type AuditClient, MIGRATIONS_DIRECTORY, migrate, openEmbeddedAudit } from '@mandate/audit';
import { queryRoutes } from '@mandate/query';
import { silentLogger } from '@mandate/runtime';
import {
  createHttpServer,
  createMetrics,
  type HttpServer,
  issueApiKey,
  memoryKeyStore,
} from '@mandate/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIMENSIONS } from '../audit/filters.ts';
import { QUESTIONS, type Question, type QuestionName } from '../audit/questions.ts';
import { runProgram } from '../program.ts';
import { runCommand } from '../run-command.fixture.ts';

const { key, record } = issueApiKey({ tenant: 'acme', scopes: ['audit'], agents: ['*'], name: 'test' });

const folder = mkdtempSync(join(tmpdir(), 'mandate-query-'));
let audit: AuditClient;
let server: HttpServer;
let env: { MANDATE_URL: string; MANDATE_API_KEY: string };

beforeAll(async () => {
  audit = await openEmbeddedAudit({ path: join(folder, 'audit') });
  await migrate(audit, MIGRATIONS_DIRECTORY);
  const [metrics, log] = [createMetrics({ service: 'query' }), silentLogger()];
  const [keys, readiness] = [memoryKeyStore([record]), async () => []];
  server = await createHttpServer({ service: 'query', version: '0', log, metrics, keys, readiness });
  await server.register(queryRoutes({ audit, bus: null, log, metrics, clock: Date.now }));
  env = { MANDATE_URL: await server.listen({ host: '127.0.0.1', port: 0 }), MANDATE_API_KEY: key };
});
afterAll(async () => {
  server.server.closeAllConnections();
  await server.close();
  await audit.close();
  rmSync(folder, { recursive: true });
});

const query = (name: QuestionName, ...args: string[]) => runCommand([...name.split(' '), ...args], { env });

type Described = { paths: Record<string, { get: { responses: { 200: { content: Content } } } }> };
type Content = {
  'application/json': {
    schema: { properties: Record<string, { items: { properties: Record<string, object> } }> };
  };
};

/**
 * Returns the columns that the plane's OpenAPI description gives for the rows, without the fields that the command
 * changes itself.
 */
function described({ paths }: Described, { path, rows }: { path: string; rows: string }): string[] {
  const { schema } = paths[`/v1/audit/${path}`]?.get.responses[200].content['application/json'] ?? {};
  const names = Object.keys(schema?.properties[rows]?.items.properties ?? {});
  return names.filter((name) => !['group', 'buckets'].includes(name) && !name.endsWith('Dollars'));
}

const linesOf = (csv: string) =>
  csv
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));

test('writes a CSV header with all columns that the plane describes, even if there are no rows', async () => {
  const description = (await (await fetch(`${env.MANDATE_URL}/openapi.json`)).json()) as Described;
  for (const [name, question] of Object.entries(QUESTIONS) as [QuestionName, Question][]) {
    const { exitCode, stdout } = await query(name, '--csv');
    expect([name, exitCode]).toEqual([name, 0]);
    // Without --group-by, the answer has one row of totals even if there are no records.
    const [told = [], ...rows] = linesOf(stdout);
    expect([name, rows.length]).toEqual([name, name === 'analytics groups' ? 1 : 0]);
    const more =
      name === 'analytics movers' ? ['agent', 'beforeMicros', 'nowMicros', 'differenceMicros'] : [];
    const all = [...described(description, question), ...more];
    expect([name, told.toSorted()]).toEqual([name, all.toSorted()]);
  }
});

test('writes a CSV header with the grouped fields, and only with the columns that were asked for', async () => {
  const header = async (name: QuestionName, ...args: string[]) =>
    (await query(name, ...args, '--csv')).stdout;
  const grouped = DIMENSIONS.slice(0, 3).flatMap((name) => ['--group-by', name]);
  expect(await header('analytics groups', ...grouped)).toMatch(/^agent,tool,model,calls,allowed,/);
  expect(await header('analytics groups', '--interval', '1h', '--from', '2h')).toMatch(/^start,calls,/);
  expect(await header('analytics movers', '--by', 'calls')).toBe(
    'agent,change,before,now,difference,percent\n',
  );
  expect(await header('decisions list', '--columns', 'id,verdict')).toBe('id,verdict\n');
  expect(await query('decisions list', '--csv', '--columns', 'price')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('there is no column price'),
  });
});

test.each([true, false])('writes one JSON document a line with --watch; on a terminal: %s', async (isTTY) => {
  const enough = new AbortController();
  let said = '';
  const stdout = new PassThrough().on('data', (chunk) => {
    said += chunk;
    if (said.match(/^\{/gm)?.length === 3) enough.abort();
  });
  const exitCode = await runProgram(['analytics', 'verdicts', '--watch', '100ms', '--json'], {
    stdin: Readable.from([]),
    stdout: Object.assign(stdout, { isTTY }),
    stderr: new PassThrough(),
    env,
    signal: enough.signal,
  });
  expect(exitCode).toBe(0);
  const lines = said.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).verdicts)).toEqual([[], [], []]);
});
