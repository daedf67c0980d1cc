import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Decision, findMandateError } from '@mandate/sdk';
import { temporaryFolder } from '@mandate/testing';
import { load } from 'sqlite-vec';
import { expect, test } from 'vitest';
import { openNotes } from './notes.ts';
import { openTutor } from './open-tutor.ts';
import { openVectorStore } from './vector-store.ts';

const DAY_MS = 86_400_000;
const NEAR = 'flashcards about food';
const principal = { id: 'mia', role: 'user' };

/** Opens a turn about flashcards. It may read at most two memories of the store `facts`. */
async function turnWith(
  memories: readonly { text: string; store: string; owner: string; expiresAt?: string }[],
) {
  const vectors = openVectorStore();
  for (const { text, expiresAt = null, ...where } of memories) vectors.save(text, { ...where, expiresAt });
  const turn = await openTutor().turn(NEAR, { principal });
  const search = (store: string, query: { query: string; limit?: number } = { query: NEAR }, origins = {}) =>
    turn.mandate.memory(store, { client: vectors.client(store) }).search(query, { origins });
  return { turn, search };
}

const far = ['one', 'two', 'three'].map((text) => ({ text, store: 'facts', owner: 'mia' }));
const near = (where: { store?: string; owner?: string; expiresAt?: string }) =>
  Array.from({ length: 20 }, () => ({ text: NEAR, store: 'facts', owner: 'mia', ...where }));

test("memories of others take no place of the person's own, however near they are", async () => {
  const { search } = await turnWith([...near({ owner: 'tom' }), ...far]);
  expect(await search('facts')).toHaveLength(2);
  expect(await search('facts')).not.toContain(NEAR);
});

test('memories of other stores take no place either', async () => {
  const { search } = await turnWith([...near({ store: 'episodic' }), ...far]);
  expect(await search('facts')).toHaveLength(2);
  expect(await search('facts')).not.toContain(NEAR);
});

test('expired memories are not found, and take no place', async () => {
  const { search } = await turnWith([...near({ expiresAt: '2020-01-01T00:00:00.000Z' }), ...far]);
  expect(await search('facts')).toHaveLength(2);
  expect(await search('facts')).not.toContain(NEAR);
});

test('the nearest memories come first, at most as many as the policy or the program allows', async () => {
  const { search } = await turnWith([...far, { text: 'Mia likes food', store: 'facts', owner: 'mia' }]);
  expect((await search('facts'))[0]).toBe('Mia likes food');
  expect(await search('facts')).toHaveLength(2);
  expect(await search('facts', { query: NEAR, limit: 50 }, { limits: 'system' })).toHaveLength(2);
  expect(await search('facts', { query: NEAR, limit: 1 }, { limits: 'system' })).toEqual(['Mia likes food']);
});

test('a store that the intent does not read is not searched', async () => {
  const { turn, search } = await turnWith([{ text: NEAR, store: 'episodic', owner: 'mia' }]);
  expect(turn.stores).toEqual([{ store: 'facts', maxResults: 2 }]);
  const refused = await search('episodic').catch((error: unknown) => findMandateError(error)?.code);
  expect(refused).toBe('STORE_NOT_ALLOWED');
});

test('a search without a filter finds the memories of all people, and at most as many as asked', async () => {
  const vectors = openVectorStore();
  for (const owner of ['mia', 'tom', null]) vectors.save(NEAR, { store: 'facts', owner, expiresAt: null });
  const facts = vectors.client('facts');
  expect(await facts.search({ query: '', limit: null, filter: null })).toHaveLength(3);
  expect(await facts.search({ query: NEAR, limit: null, filter: { user_id: 'tom' } })).toHaveLength(1);
  expect(await facts.search({ query: NEAR, limit: 2, filter: null })).toHaveLength(2);
  expect(await facts.search({ query: NEAR, limit: 0, filter: null })).toEqual([]);
});

test('the vector store keeps the store, the owner and the expiry of a decided save', async () => {
  const path = join(temporaryFolder(), 'vectors.db');
  const vectors = openVectorStore(path);
  const turn = await openTutor().turn('My name is Mia.', { principal });
  // The rule keeps a fact for 90 days. The program asks for 30, which is shorter.
  const { saves, decision } = await turn.save({ hints: { ttl: '30d' }, origins: { 'hints.ttl': 'system' } });
  for (const save of saves) vectors.save(turn.prompt, save);

  const database = new DatabaseSync(path, { allowExtension: true });
  load(database);
  expect(database.prepare('SELECT store, user_id, expires_at, text FROM memory').all()).toEqual([
    {
      store: 'facts',
      user_id: 'mia',
      expires_at: Date.parse(decision.decidedAt) + 30 * DAY_MS,
      text: 'My name is Mia.',
    },
  ]);
});

test('the relational store keeps the earlier expiry where a note asks for a longer life than its category', async () => {
  const client = openNotes();
  const decided: Decision[] = [];
  const notes = openTutor()
    .with({ principal })
    .memory('notes', { client, onDecision: (decision) => decided.push(decision) });
  const expiresAt = new Date(Date.now() + 365 * DAY_MS);
  const id = await notes.create({ category: '/daily', content: 'ten words', expiresAt });
  const [decision] = decided;
  expect(decision?.notes).toMatchObject([{ code: 'TTL_EXCEEDS_MAXIMUM' }]);
  const stored = await client.facts(id);
  const aWeekLater = Date.parse(decision?.decidedAt ?? '') + 7 * DAY_MS;
  expect(stored?.expiresAt).toBe(new Date(aWeekLater).toISOString());
});
