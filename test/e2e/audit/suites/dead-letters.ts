/** Tests answers about dead letters over HTTP: which tenant sees them, and the results of republishing them. */
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { deadLetterOf, decided, republished, settled } from '../support/log-records.ts';
import type { Scene } from '../support/query-scene.ts';

const SHARED = deadLetterOf(1);
export const OURS = deadLetterOf(2, topicOfTenant('acme'));
const THEIRS = deadLetterOf(3, topicOfTenant('globex'));
export const LETTERS = [SHARED, OURS, THEIRS, deadLetterOf(4, topicOfTenant('acme'))];
const answered = (id: string) => ({ tenant: 'acme', answerIds: ['dec_nowhere', id] });
export const REPUBLISHED = [
  republished('rep-1', OURS.deadLetter, answered(deadLetterOf(4).deadLetter.id)),
  republished('rep-2', OURS.deadLetter, answered(decided(1).decision.id)),
  republished('rep-3', OURS.deadLetter, answered(settled(1).settlement.id)),
  republished('rep-4', OURS.deadLetter, { tenant: null, answerIds: ['dec_nowhere'] }),
  republished('rep-5', SHARED.deadLetter, answered(decided(2).decision.id)),
  republished('rep-6', THEIRS.deadLetter, {
    tenant: 'globex',
    answerIds: [decided(400, { tenant: 'globex', agentId: 'spy' }).decision.id],
  }),
];

export function deadLettersAnswer({ get, keys: { auditor, operator, publisher, stranger } }: Scene): void {
  test('a key sees the dead letters of its tenant’s own topic; with operate:all, it sees all dead letters', async () => {
    const topics = async (caller: typeof auditor) =>
      (await get('/v1/audit/dead-letters', {}, caller)).body.deadLetters.map(
        ({ source }: { source: { topic: string } }) => source.topic,
      );
    expect(await topics(auditor)).toEqual([topicOfTenant('acme'), topicOfTenant('acme')]);
    expect(await topics(stranger)).toEqual([topicOfTenant('globex')]);
    expect(await topics(operator)).toEqual(
      [...LETTERS].reverse().map(({ deadLetter }) => deadLetter.source.topic),
    );
  });

  describe('a dead letter', () => {
    const show = ({ deadLetter }: typeof OURS, caller = auditor) =>
      get(`/v1/audit/dead-letters/${deadLetter.id}`, {}, caller);

    test('is shown completely, with each republication and its result', async () => {
      const { status, body } = await show(OURS);
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...OURS, text: '{', log: { topic: TOPICS.deadLetters } });
      expect(body.republications).toMatchObject([
        { id: 'rep-1', by: 'ops', reason: 'mended', corrected: true, became: { kind: 'dead-letter' } },
        { id: 'rep-2', became: { kind: 'decision', actionId: 'act-1', verdict: 'ALLOW', code: 'ALLOWED' } },
        { id: 'rep-3', became: { kind: 'settlement', actionId: 'act-1', code: 'SETTLED' } },
        { id: 'rep-4', source: { offset: 900 }, became: null },
      ]);
    });

    test('is listed with the number of its republications', async () => {
      const { body } = await get('/v1/audit/dead-letters', {}, operator);
      const times = body.deadLetters.map(({ republications }: { republications: number }) => republications);
      expect(times).toEqual([0, 1, 4, 1]);
      const ids = async (republished: string) =>
        (await get('/v1/audit/dead-letters', { republished }, operator)).body.deadLetters.map(
          ({ id }: { id: string }) => id,
        );
      expect(await ids('false')).toEqual([deadLetterOf(4).deadLetter.id]);
      expect(await ids('true')).toEqual([3, 2, 1].map((n) => deadLetterOf(n).deadLetter.id));
    });

    test('is shown to its own tenant, and to a key with operate:all, which also gets the results of republications', async () => {
      for (const letter of [SHARED, THEIRS, deadLetterOf(99)]) {
        const hidden = await show(letter);
        expect([hidden.status, hidden.body.code]).toEqual([404, 'DEAD_LETTER_NOT_FOUND']);
      }
      expect((await show(OURS, stranger)).status).toBe(404);
      expect((await show(OURS, publisher)).status).toBe(403);
      expect((await show(SHARED, operator)).body.republications).toMatchObject([
        { became: { kind: 'decision', actionId: 'act-2' } },
      ]);
      expect((await show(THEIRS, operator)).body.republications).toMatchObject([
        { became: { kind: 'decision', actionId: 'secret-action' } },
      ]);
      expect((await show(THEIRS, stranger)).body.republications).toHaveLength(1);
    });
  });
}
