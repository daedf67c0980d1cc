/** Tests answers about decisions over HTTP: searches, pages, one decision, and the valid decision about an action. */
import { recordDecisions } from '@mandate/audit';
import { createFindDecision } from '@mandate/query';
import { TOPICS, wireTime } from '@mandate/schemas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decided, START_MS } from '../support/log-records.ts';
import type { Scene } from '../support/query-scene.ts';

export function decisionsAnswer({ get, pages, record, audit, reader, keys: { stranger } }: Scene): void {
  describe('a search of decisions', () => {
    test.each([
      [{}, 56],
      [{ agent: 'agent-1' }, 15],
      [{ verdict: 'BLOCK' }, 11],
      [{ verdict: 'ALLOW', agent: 'agent-0', tool: 'get_user' }, 10],
      [{ code: 'TOOL_DENIED' }, 10],
      [{ tool: 'drop_admin' }, 10],
      [{ type: 'llm_call' }, 5],
      [{ kind: 'duplicate' }, 1],
      [{ actionId: 'act-1' }, 2],
      [{ actionId: 'secret-action' }, 0],
      [{ from: wireTime(START_MS + 100), to: wireTime(START_MS + 110) }, 10],
      [{ from: wireTime(START_MS + 100), to: wireTime(START_MS + 109) }, 9],
      [{ agent: 'agent-1', tool: 'no_such_tool' }, 0],
      [{ text: 'É"' }, 5],
      [{ event: 'tool_invocation' }, 0],
      [{ maxChargedMicros: '0' }, 11],
      [{ from: '2020-01-01', to: '9s' }, 56],
    ])('%j finds %i', async (query, found) => {
      const { status, body } = await get('/v1/audit/decisions', query);
      expect(status).toBe(200);
      expect(body.decisions).toHaveLength(found);
    });

    test('returns the fields of a list, newest first', async () => {
      const { body } = await get('/v1/audit/decisions', { type: 'llm_call', limit: '2' });
      expect(body.decisions[0]).toEqual({
        id: decided(204).decision.id,
        kind: 'first',
        actionId: 'act-204',
        attempt: 1,
        agentId: 'agent-0',
        type: 'llm_call',
        subject: 'claude-x',
        tool: null,
        model: 'claude-x',
        provider: null,
        verdict: 'ALLOW',
        code: 'ALLOWED',
        observedVerdict: null,
        observedCode: null,
        shadowVerdict: null,
        shadowCode: null,
        shadowRules: [],
        reason: 'é"\\',
        principalId: null,
        principalRole: null,
        mandateId: null,
        policies: [],
        rules: [],
        obligations: null,
        notes: null,
        violations: null,
        events: [],
        traceId: null,
        chargedMicros: 100_000,
        charged: '$0.10',
        cumulativeMicros: 100_000,
        cumulative: '$0.10',
        appendedAt: decided(204).decision.appendedAt,
        decidedAt: wireTime(START_MS + 204),
        log: { topic: TOPICS.decisions, partition: expect.any(Number), offset: expect.any(Number) },
      });
      expect(body.decisions[1].id).toBe(decided(203).decision.id);
      expect(body.next).toEqual(expect.any(String));
    });

    test('returns pages without gaps or repetitions while decisions arrive', async () => {
      let arriving = 10_000;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.array(fc.nat(400)), async (limit, ages) => {
          const before = await pages('/v1/audit/decisions', 'decisions', { limit: '1000' });
          const seen = await pages('/v1/audit/decisions', 'decisions', { limit: String(limit) }, async () => {
            // Of the new records, some are newer than all others. Some are older, as records of a decider that lags.
            const records = [...ages.splice(0, 2), 5_000].map((age) => {
              arriving += 1;
              const { decision } = decided(age, { actionId: `act-${arriving}` });
              return { ...decision, id: `${decision.id.slice(0, 14)}${String(arriving).padStart(20, 'f')}` };
            });
            await recordDecisions(
              audit(),
              records.map((record) => ({
                record,
                value: Buffer.from(JSON.stringify({ event: 'action.decided', decision: record })),
                position: { topic: TOPICS.decisions, partition: 0, offset: arriving },
                void: false,
                recordedAtMs: START_MS,
                traceId: null,
              })),
            );
          });
          const ids = seen.map(({ id }) => id);
          expect(ids).toEqual([...new Set(ids)].sort().reverse());
          expect(ids).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
        }),
        { numRuns: 5 },
      );
      await audit().command(
        `DELETE FROM decisions WHERE action_id IN (SELECT action_id FROM decisions WHERE length(action_id) = 9)`,
      );
    });
  });

  describe('one decision', () => {
    test('is answered as the record on the log, with its checks', async () => {
      const record = decided(7);
      const { status, body } = await get(`/v1/audit/decisions/${record.decision.id}`);
      expect(status).toBe(200);
      expect(body).toEqual({ ...record, log: expect.objectContaining({ topic: TOPICS.decisions }) });
    });

    test('is 404 if it does not exist or belongs to another tenant', async () => {
      const missing = await get('/v1/audit/decisions/dec_0000000000');
      expect(missing).toMatchObject({ status: 404, body: { code: 'DECISION_NOT_FOUND' } });
      expect((await get(`/v1/audit/decisions/${decided(350).decision.id}`)).status).toBe(404);
      const theirs = decided(400).decision.id;
      expect((await get(`/v1/audit/decisions/${theirs}`)).status).toBe(404);
      expect((await get(`/v1/audit/decisions/${theirs}`, {}, stranger)).status).toBe(200);
    });

    test('is found by its action id when the gateway asks', async () => {
      const find = createFindDecision(reader());
      expect(await find('acme', { actionId: 'act-1' })).toEqual(decided(1).decision);
      expect(await find('acme', { actionId: 'act-1', agentId: 'agent-1', attempt: 1 })).toEqual(
        decided(1).decision,
      );
      expect(await find('acme', { actionId: 'act-1', attempt: 2 })).toBeNull();
      expect(await find('acme', { actionId: 'act-1', agentId: 'agent-2' })).toBeNull();
      expect(await find('globex', { actionId: 'act-1' })).toBeNull();
      expect(await find('acme', { actionId: 'act-350' })).toBeNull();
    });

    test('is the valid one if an action has several decisions', async () => {
      const of = { tenant: 'initech', actionId: 'act-again', agentId: 'lumbergh' };
      const said = [
        decided(1, { ...of, verdict: 'DEFER', code: 'APPROVAL_REQUIRED' }),
        decided(2, { ...of, verdict: 'BLOCK', code: 'RATE_LIMIT_EXCEEDED' }),
        decided(3, { ...of, kind: 'duplicate', verdict: 'BLOCK', code: 'DUPLICATE_ACTION' }),
        decided(4, { ...of, attempt: 2 }),
      ];
      await record(said);
      const find = createFindDecision(reader());
      expect(await find('initech', { actionId: 'act-again' })).toEqual(said[3]?.decision);
      expect(await find('initech', { actionId: 'act-again', attempt: 1 })).toEqual(said[1]?.decision);
    });
  });
}
