/**
 * Data that the privacy document names must be nowhere: not in the data folder, the tables or an export. Other data
 * must be there, which shows that the search works.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openEmbeddedAudit } from '@mandate/audit';
import { createApiClient } from '@mandate/client';
import { dataFolder } from '@mandate/runtime';
import { approvalId, type Decision } from '@mandate/schemas';
import { IS_SHORT, type PlaneProcess, startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

const PRIVACY = `
version: 1
fields:
  - { path: args.customer.name, do: redact }
  - { path: args.customer.*, do: seal, person: args.customer.id }
  - { path: context.**.street, do: hash }
  - { path: principal.id, do: seal }
patterns:
  - { pattern: email, do: seal, person: args.customer.id }
  - { pattern: phone, do: hash }
  - { pattern: credit_card, do: redact }
  - { pattern: secret, do: redact }
`;

const HIDDEN = [
  'Wilhelmina Vandermeer',
  'customer-8731-kept-back',
  'Nowhere Lane 77',
  'principal-of-the-test',
  'mina.vandermeer@example.com',
  '+49 30 901820',
  '4111111111111111',
  'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  'hunter-2-hunter',
];
const [NAME, CUSTOMER, STREET, PRINCIPAL, EMAIL, PHONE, CARD, KEY, PASSWORD] = HIDDEN;
const SHOWN = 'a-word-that-nobody-hides';

type Published = { decision: Decision };

test('data that the privacy document names is neither stored nor shown, from the first action on and after an edit of the document', async () => {
  const data = temporaryFolder();
  const mandates = join(data, 'mandates.yaml');
  const privacy = join(data, 'privacy.yaml');
  const confirmed = 'toolPolicies: { pay: { requiresConfirmation: true } }\n';
  writeFileSync(mandates, `version: 1\nid: all\nagents: ["*"]\nallowedTools: ["*"]\n${confirmed}`);
  writeFileSync(privacy, PRIVACY);
  const plane = await startPlane({ data, mandates, env: { MANDATE_PLANE_HASH_KEY: 'a key of the test' } });
  stopAtTheEnd(plane);
  const api = createApiClient({ url: plane.url, key: plane.keys.operator });
  let published = 0;
  const decided = async (said: string, tool?: string) => {
    published += 1;
    const body = { ...action(`act_${published}`, said), ...(tool && { tool }) };
    const { decision } = await api.post<Published>('/v1/actions', body, { query: { waitMs: 20_000 } });
    return decision;
  };
  const publish = async (said: string) => (await decided(said)).action;

  expect(await publish(SHOWN)).toMatchObject({
    principal: { id: expect.stringMatching(/^person:/) },
    args: {
      customer: { id: expect.stringMatching(/^sealed:v1:/), name: '[redacted]' },
      password: '[redacted]',
      note: expect.stringMatching(
        /^a-word-that-nobody-hides: call hmac-sha256:[0-9a-f]{32} or sealed:v1:\S+\.$/,
      ),
      card: '[redacted:credit_card]',
    },
    context: { keys: '[redacted:secret]' },
  });

  writeFileSync(privacy, `${PRIVACY}  - { pattern: ip_address, do: redact }\n`);
  await waitUntil('the edit holds', async () =>
    JSON.stringify(await publish('203.0.113.9')).includes('[redacted:ip_address]'),
  );

  // An operator may write personal data into a reason.
  const reason = `complaint of ${EMAIL}, ${PHONE}: ${SHOWN}`;
  const budget = { scope: 'agent', subject: 'bot', id: 'total' };
  const waiting = approvalId(await decided(SHOWN, 'pay'));
  const commands: [path: string, body: object][] = [
    ['/v1/agents/bot/kill', {}],
    ['/v1/agents/bot/revive', {}],
    ['/v1/kill', { scope: 'tenant' }],
    ['/v1/revive', { scope: 'tenant' }],
    ['/v1/budgets/adjust', { budget, deltaMicros: 1 }],
    [`/v1/approvals/${waiting}/deny`, {}],
  ];
  for (const [path, body] of commands) await api.post(path, { ...body, reason });
  const told = await waitUntil('all commands on record', async () => {
    const { events } = await api.get<{ events: object[] }>('/v1/audit/control-events', { limit: 100 });
    const told = JSON.stringify(events).split(SHOWN).length - 1;
    return told >= commands.length && JSON.stringify(events);
  });
  expect(told).toContain(`complaint of [redacted:email], [redacted:phone]: ${SHOWN}`);
  for (const hidden of HIDDEN) expect(told).not.toContain(hidden);

  // The audit also records the text of this search.
  await api.get('/v1/audit/decisions', { text: `to ${EMAIL}` });
  const exported = await waitUntil('all decisions on record', async () => {
    const answer = await fetch(new URL('/v1/audit/export?format=ndjson', plane.url), {
      headers: { authorization: `Bearer ${plane.keys.operator}` },
    });
    const text = await answer.text();
    return text.split('\n').length > published && text;
  });
  for (const hidden of HIDDEN) expect(exported).not.toContain(hidden);
  await plane.kill();

  // Reads the files before the tables are opened, because ClickHouse creates and removes files while it runs.
  const kept = filesBelow(data).map((path) => readFileSync(path, 'latin1'));
  expectHidden(kept.join('\n'));
  expectHidden(await tablesOf(data));
});

test.skipIf(IS_SHORT)(
  'after an edit that seals fields for the first time, the first action is published with sealed fields',
  async () => {
    const data = temporaryFolder();
    const mandates = join(data, 'mandates.yaml');
    writeFileSync(mandates, 'version: 1\nid: all\nagents: ["*"]\nallowedTools: ["*"]\n');
    const plane = await startPlane({ data, mandates });
    stopAtTheEnd(plane);
    writeFileSync(join(data, 'privacy.yaml'), 'version: 1\nfields: [{ path: args.note, do: seal }]\n');
    await waitUntil('the edit is in force', () => plane.errors().includes('was edited and is in force'));
    const api = createApiClient({ url: plane.url, key: plane.keys.operator });
    const { decision } = await api.post<Published>('/v1/actions', action('act_1', SHOWN), {
      query: { waitMs: 20_000 },
    });
    expect(decision.action).toMatchObject({ args: { note: expect.stringMatching(/^sealed:v1:\S+\.$/) } });
  },
);

function action(id: string, shown: string): object {
  return {
    id,
    agentId: 'bot',
    type: 'tool_call',
    tool: 'send',
    principal: { id: PRINCIPAL },
    args: {
      customer: { id: CUSTOMER, name: NAME, notes: [EMAIL] },
      password: PASSWORD,
      note: `${shown}: call ${PHONE} or ${EMAIL}`,
      card: Number(CARD),
    },
    context: { home: { deep: [{ street: STREET }] }, [EMAIL ?? '']: CARD, keys: KEY },
  };
}

/** Returns every row of every table as text. The tables' files on disk are compressed and cannot be searched. */
async function tablesOf(data: string): Promise<string> {
  const audit = await openEmbeddedAudit({ path: dataFolder(data).audit });
  onTestFinished(() => audit.close());
  const tables = await audit.query('SHOW TABLES', {}, z.object({ name: z.string() }));
  const rows: string[] = [];
  for (const { name } of tables) {
    rows.push(await text(await audit.file(`SELECT * FROM ${name}`, {}, 'JSONEachRow')));
  }
  return rows.join('\n');
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

function expectHidden(kept: string): void {
  expect(kept).toContain(SHOWN);
  for (const hidden of HIDDEN) expect(kept).not.toContain(hidden);
}

function stopAtTheEnd(plane: PlaneProcess): void {
  onTestFinished(async () => {
    await plane.kill();
  });
}
