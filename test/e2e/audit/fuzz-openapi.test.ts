/**
 * Sends random query strings to every audit route. Each answer must be a result or a refusal with a reason, never a
 * server fault. No answer may contain data of another tenant. No statement to ClickHouse may contain text of the
 * caller. Routes and filters come from the OpenAPI document, so new routes are tested too.
 */
import { type AuditClient, type BoundParams, idOfChange } from '@mandate/audit';
import { type DecisionsRecord, TOPICS, topicOfTenant } from '@mandate/schemas';
import { type HttpServer, issueApiKey, memoryKeyStore, serveHttp } from '@mandate/server';
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Described,
  isStream,
  type JsonSchema,
  type OpenApi,
  operationsOf,
  type Parameter,
  requiredValues,
  urlOf,
} from '../interface/described.ts';
import {
  deadLetterOf,
  decided,
  killed,
  readByKey,
  ruleRemoved,
  START_MS,
  settled,
} from './support/log-records.ts';
import { queryServer } from './support/query-server.ts';
import { openRecording, type Recording } from './support/recording.ts';

/** The number of runs for each route. Each run sends two requests. */
const RUNS = byLength({ short: 2, full: 5 });

/** A word that all data of the other tenant contains, and no other data. A caller could not guess it. */
const THEIRS = 'spy';
/** A word in every free text that the test sends. No statement may contain it. */
const MARK = 'zq7';

const { key, record } = issueApiKey({ tenant: 'acme', scopes: ['audit'], agents: ['*'], name: 'auditor' });

const spied = { tenant: 'globex', agentId: 'spy-agent', tool: 'spy_tool', reason: 'spy reason' } as const;
const HISTORY: DecisionsRecord[] = [
  ...Array.from({ length: 20 }, (_, n) => decided(n)),
  ...Array.from({ length: 5 }, (_, n) =>
    decided(100 + n, { type: 'llm_call', tool: null, model: 'claude-x' }),
  ),
  ...Array.from({ length: 6 }, (_, n) => settled(n)),
  ...Array.from({ length: 10 }, (_, n) => decided(400 + n, { ...spied, actionId: `spy-act-${n}` })),
  settled(400, { tenant: 'globex', agentId: 'spy-agent', actionId: 'spy-act-0' }),
  killed('kill-mine', { scope: 'agent', tenant: 'acme', agentId: 'agent-1' }),
  killed('spy-kill', { scope: 'agent', tenant: 'globex', agentId: 'spy-agent' }),
  killed('kill-all', { scope: 'all' }),
];
const LETTERS = [
  deadLetterOf(1),
  deadLetterOf(2, topicOfTenant('acme')),
  deadLetterOf(3, topicOfTenant('globex')),
];
const theirIds = [
  ...HISTORY.flatMap((entry) => {
    if (entry.event === 'action.decided' && entry.decision.tenant === 'globex') return [entry.decision.id];
    if (entry.event === 'action.settled' && entry.settlement.tenant === 'globex')
      return [entry.settlement.id];
    return [];
  }),
  ...LETTERS.filter(({ deadLetter }) => deadLetter.source.topic !== topicOfTenant('acme')).map(
    ({ deadLetter }) => deadLetter.id,
  ),
  idOfChange(2),
  'spy-kill',
];

/**
 * A statement must contain one of these conditions, which restrict it to one tenant. They name the tenant, or the
 * tenant's own topic if the tenant of a record cannot be trusted.
 */
const OWNED = [
  { name: 'tenant', value: 'acme' },
  { name: 'sourceTopic', value: topicOfTenant('acme') },
];

let recording: Recording;
let server: HttpServer;
let url: string;
let stop: () => Promise<void>;
let questions: Described[];
/** For each list route: the cursor that its first page ends with. */
const cursors: string[] = [];
/** The statements that the current request sent to ClickHouse. */
let asked: { sql: string; params: BoundParams }[] = [];

beforeAll(async () => {
  recording = await openRecording();
  await recording.append(HISTORY);
  await recording.bus.append(
    TOPICS.deadLetters,
    LETTERS.map((letter) => ({ key: null, value: JSON.stringify(letter) })),
  );
  await recording.bus.append(
    TOPICS.access,
    [readByKey(1), readByKey(2), readByKey(3, 'globex', 'spy-agent')].map((read) => ({
      key: null,
      value: JSON.stringify(read),
    })),
  );
  await recording.bus.append(
    TOPICS.control,
    ['acme', 'globex'].map((tenant) => ({
      key: null,
      partition: 0,
      value: JSON.stringify(ruleRemoved(tenant)),
    })),
  );
  const recorder = await recording.record();
  await recorder.caughtUp();
  await recorder.stop();

  const clock = () => START_MS + 60_000;
  server = await queryServer(overheard(recording.audit), memoryKeyStore([record]), {
    bus: recording.bus,
    clock,
  });
  ({ url, stop } = await serveHttp(server, { host: '127.0.0.1', port: 0 }));

  const document: OpenApi = (await server.inject('/openapi.json')).json();
  questions = operationsOf(document).filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/v1/audit'),
  );
  for (const question of questions.filter((one) => !isStream(one))) {
    const answer = await ask(question, new Map([['limit', '1']]));
    const { next } = answer.type.startsWith('application/json') ? JSON.parse(answer.body) : {};
    if (typeof next === 'string') cursors.push(next);
  }
});
afterAll(async () => {
  await stop();
  await recording.close();
});

function overheard(audit: AuditClient): AuditClient {
  return {
    ...audit,
    query(sql, params, row, givenUp) {
      asked.push({ sql, params });
      return audit.query(sql, params, row, givenUp);
    },
  };
}

type Values = ReadonlyMap<string, string | readonly string[]>;

/** Sends the request over the network and reads the answer. A stream does not end, so only its beginning is read. */
async function ask(question: Described, values: Values) {
  asked = [];
  const answer = await fetch(url + urlOf(question, values), { headers: { 'x-api-key': key } });
  const endless = answer.status === 200 && isStream(question);
  if (endless) await answer.body?.cancel();
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    body: endless ? '' : await answer.text(),
  };
}

const HOSTILE = [
  `${MARK}'`,
  `';DROP/**/TABLE/**/decisions;--${MARK}`,
  `'OR/**/1=1--${MARK}`,
  `\\'OR(1=1)--${MARK}`,
  `${MARK}'/**/UNION/**/ALL/**/SELECT/**/*/**/FROM/**/decisions--`,
  `{tenant:String}${MARK}`,
  `globex${MARK}`,
  `%27%20OR%201=1${MARK}`,
  `\`${MARK}\``,
  `agent-1\\${MARK}`,
  `%${MARK}%`,
  `_${MARK}*?`,
];
const OUR_IDS = [
  decided(1).decision.id,
  decided(101).decision.id,
  deadLetterOf(2).deadLetter.id,
  idOfChange(1),
  'kill-mine',
];
const OURS_AND_THEIRS = [
  ...[
    'agent-0',
    'agent-1',
    'act-1',
    'get_user',
    'claude-x',
    decided(1).decision.id,
    settled(1).settlement.id,
  ],
  ...['spy-agent', 'spy_tool', 'spy-act-1', 'spy', 'globex', ...theirIds.slice(0, 3)],
];
const MOMENTS = [
  '2026-01-30T12:00:00Z',
  '2026-01-30',
  '15m',
  '24h',
  '9w',
  '1970-01-01T00:00:00Z',
  '2261-12-31T23:59:59Z',
];

const numbers = fc.oneof(fc.integer({ min: -2, max: 2_000 }), fc.maxSafeInteger(), fc.double()).map(String);
const freeText = fc.oneof(
  fc.constantFrom(...OURS_AND_THEIRS),
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => `${text}${MARK}`),
  fc.stringMatching(/^[\w.:@-]{1,40}$/).map((text) => `${MARK}${text}`),
);
/** A cursor in the right form, but with content that no answer contained. */
const forgedCursor = fc
  .tuple(
    fc.constantFrom('decisions', 'settlements', 'sums', 'dead-letters'),
    fc.array(fc.oneof(freeText, fc.integer())),
  )
  .map(([list, place]) => Buffer.from(JSON.stringify([1, list, place])).toString('base64url'));
const rubbish = fc.oneof(
  fc.constantFrom('', ' ', '\0', '\uffff', '-1', '1e9', 'null', 'true', '[]', '{"a":1}', 'x'.repeat(3_000)),
  fc.string({ unit: 'binary', maxLength: 20 }),
  numbers,
  freeText,
);

/** Returns values that mostly fit the schema. */
function fitting({ name, in: place, schema }: Parameter): fc.Arbitrary<string> {
  if (name === 'cursor') return fc.oneof(fc.constantFrom(...cursors), forgedCursor);
  if (name === 'timeZone') return fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia');
  if (place === 'path')
    return fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...OUR_IDS) },
      { weight: 1, arbitrary: freeText },
    );
  const words = closedWords(schema);
  if (words.length > 0) return fc.constantFrom(...words);
  const shapes = shapesOf(schema);
  if (shapes.some(({ format }) => format === 'date-time')) return fc.constantFrom(...MOMENTS);
  const number = shapes.find(({ type }) => type === 'integer' || type === 'number');
  if (number !== undefined)
    return fc.integer({ min: number.minimum ?? 0, max: number.maximum ?? 1_000_000 }).map(String);
  if (shapes.some(({ type }) => type === 'boolean')) return fc.constantFrom('true', 'false');
  const pattern = shapes.find((shape) => shape.pattern?.startsWith('^[0-9a-f]'))?.pattern;
  return pattern === undefined ? freeText : fc.stringMatching(new RegExp(pattern));
}

/** Returns one value, or several if the schema allows several. */
function fittingOnes(parameter: Parameter): fc.Arbitrary<string | string[]> {
  const one = fitting(parameter);
  if (!shapesOf(parameter.schema).some(({ type }) => type === 'array')) return one;
  return fc.oneof(one, fc.array(one, { minLength: 2, maxLength: 3 }));
}

/** Returns values that no caller should send, one or several. */
function unfittingOnes(parameter: Parameter): fc.Arbitrary<string | string[]> {
  const one = fc.oneof(rubbish, fitting(parameter));
  return parameter.in === 'path' ? one : fc.oneof(one, fc.array(one, { minLength: 2, maxLength: 3 }));
}

function shapesOf(schema: JsonSchema): JsonSchema[] {
  return [schema, ...(schema.anyOf ?? [])].flatMap((one) => [one, ...(one.items ? [one.items] : [])]);
}

/**
 * Returns the words of a parameter that accepts only words from a fixed list. The text of a statement may depend on
 * them.
 */
function closedWords(schema: JsonSchema): string[] {
  return shapesOf(schema)
    .flatMap((shape) => shape.enum ?? [])
    .map(String);
}

/**
 * Returns two requests with the same few parameters. Both have the same words of fixed lists, and different other
 * values. Most values are valid, because the test is about the answers.
 */
function askedTwice({ parameters = [] }: Described) {
  const place = parameters.filter((parameter) => parameter.in === 'path');
  const filters = parameters.filter((parameter) => parameter.in === 'query');
  const some = fc.shuffledSubarray(filters, { maxLength: Math.min(4, filters.length) });
  return fc.tuple(fc.boolean(), fc.boolean(), some).chain(([fits, fitsToo, chosen]) => {
    const takes = fits || fitsToo ? fittingOnes : unfittingOnes;
    const pairs = [...place, ...chosen].map((parameter) => {
      const value = takes(parameter);
      const isWord = closedWords(parameter.schema).length > 0;
      const both = isWord ? value.map((same) => [same, same] as const) : fc.tuple(value, value);
      return both.map(([one, other]) => ({ name: parameter.name, one, other }));
    });
    return fc.tuple(...pairs).map((given) => ({
      one: new Map(given.map(({ name, one }) => [name, one])),
      other: new Map(given.map(({ name, other }) => [name, other])),
    }));
  });
}

/** Returns ordinary requests with values that exist, so that the test sees answers with data too. */
function plainly(question: Described): Values[] {
  const { parameters = [] } = question;
  const place = parameters.find((parameter) => parameter.in === 'path');
  const places = place === undefined ? [[]] : OUR_IDS.map((id) => [[place.name, id] as const]);
  const periods = parameters.some(({ name }) => name === 'from') ? [[], [['from', '24h'] as const]] : [[]];
  return places.flatMap((given) =>
    periods.map((period) => new Map([...requiredValues(question), ...given, ...period])),
  );
}

/**
 * Returns everything that a statement's text may depend on: the route, the names of the parameters, and words of
 * fixed lists.
 */
function ground({ path, parameters = [] }: Described, values: Values): string {
  const given = parameters.map(({ name, schema }) => {
    const value = values.get(name);
    if (value === undefined) return '';
    return closedWords(schema).length === 0 ? name : `${name}=${[value].flat().sort().join()}`;
  });
  return [path, ...given].join('|');
}

/**
 * Returns a name for a statement: its table and its bound parameters. It distinguishes the statements of one request
 * from each other, and from those of a stream that was just closed.
 */
function kindOf({ sql, params }: (typeof asked)[number]): string {
  const names = Object.keys(params).filter((name) => params[name] !== undefined);
  return [/FROM (\w+)/.exec(sql)?.[1], ...names.sort()].join();
}

test('every request gets an answer or a refusal, no data of another tenant, and runs only statements written in Mandate', async () => {
  const answered = new Set<string>();
  const statements = new Map<string, string>();
  let compared = 0;

  function mustBeOurs(question: Described, values: Values): void {
    const seen = new Map<string, number>();
    for (const statement of asked) {
      const { sql, params } = statement;
      expect(sql).not.toContain(MARK);
      expect(sql).not.toContain(THEIRS);
      expect(
        OWNED.some(({ name, value }) => sql.includes(`{${name}:String}`) && params[name] === value),
      ).toBe(true);
      const kind = kindOf(statement);
      const nth = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, nth);
      const on = `${ground(question, values)} ${kind} ${nth}`;
      const before = statements.get(on);
      if (before !== undefined) compared += 1;
      expect(sql).toBe(before ?? sql);
      statements.set(on, sql);
    }
  }

  async function mustBeInOrder(question: Described, values: Values): Promise<void> {
    const { status, type, body } = await ask(question, values);
    expect(status).toBeLessThan(500);
    if (status === 200) {
      answered.add(question.path);
      expect(body).not.toContain(THEIRS);
      for (const id of theirIds) expect(body).not.toContain(id);
    } else {
      expect(type).toMatch(/^application\/problem\+json/);
      expect(JSON.parse(body)).toMatchObject({
        status,
        code: expect.any(String),
        remedy: expect.any(String),
      });
    }
    mustBeOurs(question, values);
  }

  for (const question of questions) {
    for (const values of plainly(question)) await mustBeInOrder(question, values);
    const property = fc.asyncProperty(askedTwice(question), async ({ one, other }) => {
      await mustBeInOrder(question, one);
      await mustBeInOrder(question, other);
    });
    await fc.assert(property, { numRuns: RUNS });
  }
  // Every route must have given an answer. Otherwise the test has tested only refusals.
  expect(questions.map(({ path }) => path).filter((path) => !answered.has(path))).toEqual([]);
  expect(compared).toBeGreaterThan(2 * questions.length);
});
