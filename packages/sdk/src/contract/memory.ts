/** Tests governed memory: each operation of a client is decided, and runs as the decision demands. */
import { expect, test } from 'vitest';
import type { Decision, MandateDocument } from '../types.ts';
import { TUTOR, USER } from './governed.ts';
import { type AgentUnder, codeOf, refusalOf } from './scene.ts';

const DAY_MS = 86_400_000;

const SCRIBE: MandateDocument = {
  ...TUTOR,
  governance: {
    ...TUTOR.governance,
    memory_policies: {
      read: {
        user_isolation: true,
        intent_mapping: { chat: ['notes'] },
        max_results: { notes: 2 },
        llm_cannot: ['select_store', 'bypass_user_filter'],
      },
    },
    categories: {
      notes: {
        categories: {
          standup: {
            policies: { defaultTtl: 7, maxContentLength: 20, permissions: { delete: false } },
            subcategories: { pinned: { policies: { defaultTtl: 30 } } },
          },
          fixed: { policies: { subcategoryCreation: false } },
        },
      },
    },
  },
};

type Row = { category: string; content: string; createdAt: Date; expiresAt: string | null; mood?: string };

/** A client that keeps its memories in this process. `did` lists the calls of its functions. */
function notes() {
  const rows = new Map<string, Row>();
  const categories = new Set(['/standup', '/fixed']);
  const did: unknown[] = [];
  return {
    rows,
    categoriesThere: categories,
    did,
    client: {
      facts: (id: string) => rows.get(id) ?? null,
      categories: async () => [...categories],
      async search(search: { query: string; limit: number | null; filter: { user_id: string } | null }) {
        did.push(['search', search]);
        return [1, 2, 3, 4].map((number) => `${search.query} ${number}`);
      },
      async create(memory: { category: string; content: string; expiresAt: string | null; mood?: string }) {
        const id = `m${rows.size + 1}`;
        rows.set(id, { ...memory, createdAt: new Date() });
        return id;
      },
      async update(id: string, changes: { content?: string; expiresAt: string | null }) {
        rows.set(id, { ...(rows.get(id) as Row), ...changes });
      },
      async delete(id: string) {
        return rows.delete(id);
      },
      async move(id: string, { category, expiresAt }: { category: string; expiresAt: string | null }) {
        rows.set(id, { ...(rows.get(id) as Row), category, expiresAt });
      },
      createCategory(path: string) {
        did.push(['createCategory', path]);
        categories.add(path);
      },
      deleteCategory: async (path: string) => categories.delete(path),
      setDescription: (path: string, text: string | null) => void did.push(['describe', path, text]),
      prune: (pruning: object) => void did.push(['prune', pruning]),
    },
  };
}

export function memory(agentUnder: AgentUnder): void {
  const opened = async (options: { content?: 'length' } = {}) => {
    const { mandate } = await agentUnder(SCRIBE);
    const turn = await mandate.turn('hello', { principal: USER });
    const decisions: Decision[] = [];
    const onDecision = (decision: Decision) => void decisions.push(decision);
    const store = notes();
    const governed = turn.mandate.memory('notes', { client: store.client, onDecision, ...options });
    return { ...store, governed, decisions, turn };
  };
  const leftMs = ({ expiresAt }: { expiresAt: string | null }, { decidedAt }: Decision) =>
    Date.parse(expiresAt ?? '') - Date.parse(decidedAt);

  test('a new memory expires when its category says, and further fields reach the client', async () => {
    const { governed, rows, decisions } = await opened();
    const asked = { category: '/standup', content: 'Water the plants.', expiresAt: null, mood: 'good' };
    const id = await governed.create(asked);
    const row = rows.get(id) as Row;
    expect(row).toMatchObject({ category: '/standup', content: 'Water the plants.', mood: 'good' });
    expect(leftMs(row, decisions[0] as Decision)).toBe(7 * DAY_MS);
    expect(decisions[0]?.notes).toMatchObject([{ code: 'TTL_APPLIED', maxDays: 7 }]);
  });

  test('a memory without a ceiling keeps the requested expiry', async () => {
    const { governed, rows } = await opened();
    const expiresAt = new Date(Date.now() + DAY_MS);
    const id = await governed.create({ category: '/fixed', content: 'a', expiresAt });
    expect(Date.parse((rows.get(id) as Row).expiresAt ?? '')).toBe(expiresAt.getTime());
    const other = await governed.create({ category: '/fixed', content: 'b' });
    expect((rows.get(other) as Row).expiresAt).toBe(null);
  });

  test('a refused memory does not reach the client, and the length counts characters', async () => {
    const { governed, rows } = await opened();
    const long = await refusalOf(governed.create({ category: '/standup', content: '𠮷'.repeat(21) }));
    expect(long).toMatchObject({ code: 'CONTENT_TOO_LONG', action: { type: 'memory_operation' } });
    expect(rows.size).toBe(0);
    await governed.create({ category: '/standup', content: '𠮷'.repeat(20) });
    expect(rows.size).toBe(1);
  });

  test('with the length in place of the content, the record does not contain the content', async () => {
    const { governed, decisions, rows } = await opened({ content: 'length' });
    await governed.create({ category: '/standup', content: '𠮷 secret' });
    expect(decisions[0]?.action).toMatchObject({ contentLength: 8 });
    expect(decisions[0]?.action).not.toHaveProperty('content');
    expect(rows.get('m1')?.content).toBe('𠮷 secret');
  });

  test('missing categories are made from the top, if the policy allows each', async () => {
    const { governed, did, rows } = await opened();
    await governed.create({ category: '/standup/a/b', content: 'a' });
    expect(did).toEqual([
      ['createCategory', '/standup/a'],
      ['createCategory', '/standup/a/b'],
    ]);
    const refused = governed.create({ category: '/fixed/a', content: 'a' });
    expect(await codeOf(refused)).toBe('SUBCATEGORY_CREATION_NOT_ALLOWED');
    expect([did.length, rows.size]).toEqual([2, 1]);
    expect(await governed.createCategory('/standup/a/b')).toEqual({ creates: [] });
    expect(await governed.createCategory('/standup/c')).toEqual({ creates: ['/standup/c'] });
    expect(await codeOf(governed.createCategory('/fixed/c'))).toBe('SUBCATEGORY_CREATION_NOT_ALLOWED');
  });

  test('facts come from the client, and a caller cannot state them', async () => {
    const { governed, did, decisions } = await opened();
    const asked = { category: '/standup/a', content: 'a', existing: ['/standup/a'], createdAt: '2020-01-01' };
    await governed.create(asked as never);
    expect(did).toEqual([['createCategory', '/standup/a']]);
    expect(decisions[0]?.action).toMatchObject({ existing: ['/standup', '/fixed'] });
    expect(await codeOf(governed.update('m7', { content: 'a' }))).toBe('INVALID_ACTION');
  });

  test('an update counts the life of a memory from its creation, also if the update states no expiry', async () => {
    const { governed, rows, decisions } = await opened();
    const createdAt = new Date(Date.now() - 2 * DAY_MS);
    rows.set('m1', { category: '/standup', content: 'a', createdAt, expiresAt: null });
    await governed.update('m1', { content: 'b' });
    expect(rows.get('m1')).toMatchObject({ content: 'b' });
    expect(Date.parse(rows.get('m1')?.expiresAt ?? '')).toBe(createdAt.getTime() + 7 * DAY_MS);
    expect(decisions[0]?.action).toMatchObject({ category: '/standup', currentExpiresAt: null });
  });

  test('a protected memory is neither deleted nor moved, but other memories are', async () => {
    const { governed, rows } = await opened();
    await governed.create({ category: '/standup', content: 'a' });
    expect(await codeOf(governed.delete('m1'))).toBe('OPERATION_NOT_PERMITTED');
    expect(await codeOf(governed.move('m1', { category: '/fixed' }))).toBe('OPERATION_NOT_PERMITTED');
    const createdAt = new Date(Date.now() - DAY_MS);
    rows.set('m2', { category: '/fixed', content: 'b', createdAt, expiresAt: null });
    await governed.move('m2', { category: '/standup/pinned' });
    expect(rows.get('m2')).toMatchObject({ category: '/standup/pinned', content: 'b' });
    expect(Date.parse(rows.get('m2')?.expiresAt ?? '')).toBe(createdAt.getTime() + 30 * DAY_MS);
    await governed.create({ category: '/fixed', content: 'c' });
    expect([await governed.delete('m3'), rows.size]).toEqual([true, 2]);
  });

  test('a category is deleted only if everything below it may be deleted', async () => {
    const { governed, categoriesThere } = await opened();
    expect(await codeOf(governed.deleteCategory('/standup'))).toBe('OPERATION_NOT_PERMITTED');
    expect(await governed.deleteCategory('/fixed')).toBe(true);
    expect([...categoriesThere]).toEqual(['/standup']);
  });

  test('a description is trimmed, and an empty text removes the description', async () => {
    const { governed, did } = await opened();
    await governed.setDescription('/standup', '  Daily ');
    await governed.setDescription('/standup', '  ');
    expect(did).toEqual([
      ['describe', '/standup', 'Daily'],
      ['describe', '/standup', null],
    ]);
  });

  test('only a program may prune, and only what has expired', async () => {
    const { governed, did, decisions } = await opened();
    expect(await codeOf(governed.prune({}))).toBe('ORIGIN_NOT_ALLOWED');
    await governed.prune({ category: '/standup' }, { origins: { operation: 'system' } });
    const expiredBefore = decisions[0]?.obligations?.expiredBefore;
    expect(did).toEqual([['prune', { category: '/standup', expiredBefore }]]);
    expect(Date.parse(String(expiredBefore))).toBe(Date.parse(decisions[0]?.decidedAt ?? ''));
  });

  test('a search gets the limit and the filter, and returns no more than allowed', async () => {
    const { governed, did } = await opened();
    expect(await governed.search({ query: 'plants' })).toEqual(['plants 1', 'plants 2']);
    expect(await governed.search({ query: 'plants', limit: 1 })).toEqual(['plants 1']);
    const filter = { user_id: 'u1' };
    expect(did).toEqual([
      ['search', { query: 'plants', limit: 2, filter }],
      ['search', { query: 'plants', limit: 1, filter }],
    ]);
  });

  test('a store that the policy does not name is refused', async () => {
    const { turn } = await opened();
    const { client, did, rows } = notes();
    const other = turn.mandate.memory('diary', { client });
    expect(await codeOf(other.create({ category: '/standup', content: 'a' }))).toBe('STORE_NOT_ALLOWED');
    expect(await codeOf(other.search({ query: 'a' }))).toBe('STORE_NOT_ALLOWED');
    expect([did, rows.size]).toEqual([[], 0]);
  });

  test('a client that cannot make categories gets no memory that needs a new category', async () => {
    const { turn } = await opened();
    const { client, rows } = notes();
    const { create, categories } = client;
    const governed = turn.mandate.memory('notes', { client: { create, categories } });
    const refused = governed.create({ category: '/standup/a', content: 'a' });
    expect(await codeOf(refused)).toBe('UNKNOWN_OBLIGATION');
    expect(await governed.create({ category: '/standup', content: 'a' })).toBe('m1');
    expect(rows.size).toBe(1);
  });

  test('an operation that fails throws its own error, and can be requested again', async () => {
    const { turn } = await opened();
    const { client } = notes();
    let isFull = true;
    const create = async (memory: { category: string; content: string; expiresAt: string | null }) => {
      if (isFull) throw new Error('the disk is full');
      return client.create(memory);
    };
    const governed = turn.mandate.memory('notes', { client: { create } });
    expect(Object.keys(governed)).toEqual(['create']);
    const asked = () => governed.create({ category: '/fixed', content: 'a' }, { idempotencyKey: 'note-1' });
    await expect(asked()).rejects.toThrow('the disk is full');
    isFull = false;
    expect(await asked()).toBe('m1');
  });
}
