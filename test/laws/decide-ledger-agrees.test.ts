/**
 * Tests on random histories that ledger and log agree. The ledger stores the verdict of a step, and the policy
 * package publishes a verdict. The two must be equal, and must agree with what was charged, published and remembered.
 */
import { decisionId } from '@mandate/policy';
import { type Decision, type DecisionsRecord, readDecisionsRecord } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type Box, deciderInABox } from '../decider-in-a-box.ts';
import { arbitraryMandate } from './arbitrary-requests.ts';
import { arbitraryHistory, decisionsIn, playHistory } from './decide-history.ts';

// The timeout is long: each test runs many random cases, which takes about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const utf8 = new TextEncoder();

async function played(mandate: object, history: Parameters<typeof playHistory>[1]) {
  const box = deciderInABox([mandate]);
  await playHistory(box, history);
  const records = box.published.map((text): DecisionsRecord => readDecisionsRecord(utf8.encode(text)));
  return { box, records, decisions: decisionsIn(records) };
}

function entriesOf(box: Box) {
  return [...box.ledger.state().tenants.values()].flatMap((tenant) =>
    [...tenant.agents.values()].flatMap((agent) => [...agent.actions.values()].flat()),
  );
}

function describeDecision({ verdict, code, final, reservation, leaseExpiresAt, grantConsumed }: Decision) {
  return {
    verdict,
    code,
    final,
    grantConsumed,
    reserved: reservation?.micros ?? null,
    expiresAtMs: leaseExpiresAt === null ? null : Date.parse(leaseExpiresAt),
  };
}

test('the ledger remembers a decision as it was published', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMandate, arbitraryHistory, async (mandate, history) => {
      const { box, decisions } = await played(mandate, history);
      const byId = new Map(decisions.map((decision) => [decision.id, decision]));
      for (const entry of entriesOf(box)) {
        const source = {
          topic: entry.log.topic,
          partition: entry.log.partition,
          offset: entry.offset,
        };
        const decision = byId.get(decisionId(source, entry.appendedAtMs, entry.kind));
        if (decision === undefined) throw new Error('an entry without a decision');
        const { verdict, code, final, grantConsumed, lease } = entry;
        expect(describeDecision(decision)).toEqual({
          verdict,
          code,
          final,
          grantConsumed,
          reserved: lease?.reservedMicros ?? null,
          expiresAtMs: lease?.expiresAtMs ?? null,
        });
      }
    }),
    { numRuns: 30 },
  );
});

test('a decision is charged if and only if it is an ALLOW, and a duplicate names the valid decision', async () => {
  let duplicates = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryMandate, arbitraryHistory, async (mandate, history) => {
      const { decisions } = await played(mandate, history);
      const byId = new Map<string, Decision>();
      for (const decision of decisions) {
        const allowed = decision.verdict === 'ALLOW';
        expect(decision.reservation !== null).toBe(allowed);
        expect(decision.leaseExpiresAt !== null).toBe(allowed);
        expect(decision.chargedMicros).toBe(decision.reservation?.micros ?? 0);
        expect(decision.kind === 'duplicate').toBe(decision.duplicateOf !== null);
        if (decision.duplicateOf !== null) {
          duplicates += 1;
          const first = byId.get(decision.duplicateOf.decisionId);
          if (first === undefined) throw new Error('a duplicate of a decision that is not on the log');
          expect(first.kind).not.toBe('duplicate');
          expect(decision.duplicateOf.samePayload).toBe(first.digest === decision.digest);
          expect(decision.reason.includes('other content')).toBe(first.digest !== decision.digest);
          if (decision.verdict === 'BLOCK')
            expect(decision.reason).toContain(`${first.verdict} (${first.code})`);
        }
        expect(byId.has(decision.id), 'an id twice').toBe(false);
        byId.set(decision.id, decision);
      }
    }),
    { numRuns: 30 },
  );
  expect(duplicates).toBeGreaterThan(3);
});

test('no ledger sequence of a tenant repeats, and an ALLOW logged between a kill and its revive has a lower sequence than the kill', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMandate, arbitraryHistory, async (mandate, history) => {
      const { records } = await played(mandate, history);
      const stopped = new Map<string, number>();
      for (const record of records) {
        if (record.event === 'agent.killed' && record.kill.target.scope === 'all') {
          for (const [tenant, sequence] of Object.entries(record.kill.ledgerSequences))
            stopped.set(tenant, sequence);
        }
        if (record.event === 'agent.revived' && record.revive.target.scope === 'all') stopped.clear();
        if (record.event !== 'action.decided' || record.decision.verdict !== 'ALLOW') continue;
        const { tenant, ledgerSequence } = record.decision;
        expect(ledgerSequence).toBeLessThan(stopped.get(tenant) ?? Number.POSITIVE_INFINITY);
      }
      const sequences = decisionsIn(records)
        .filter(({ tenant }) => tenant === 'acme')
        .map(({ ledgerSequence }) => ledgerSequence);
      expect(new Set(sequences).size).toBe(sequences.length);
    }),
    { numRuns: 20 },
  );
});
