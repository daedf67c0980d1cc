/**
 * Tests that a kill of an agent with its descendants stops all of them until the revive (ADR 47). The kill also stops
 * every agent that later becomes a descendant of a stopped agent. No change of agents frees a stopped agent.
 */

import { foldControl, mandatesUnderControl } from '@mandate/control';
import { createMemoryLedger } from '@mandate/ledger';
import { planInForce } from '@mandate/policy';
import { type ControlRecord, controlRecord, type KillTarget } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const TENANT = 'acme';
const AGENTS = ['lead', 'a', 'b', 'c', 'd'];
const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
const TARGET: KillTarget = { scope: 'subtree', tenant: TENANT, agentId: 'lead' };

type Step =
  | { do: 'put'; id: string; parent?: string | undefined }
  | { do: 'retire'; id: string }
  | { do: 'kill' }
  | { do: 'revive' };

const agent = fc.constantFrom(...AGENTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      id: agent,
      parent: fc.option(fc.oneof(agent, fc.constant('lead')), { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('retire' as const), id: agent }) },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ do: 'kill' }, { do: 'kill' }, { do: 'revive' }) },
);

const BEGIN: readonly Step[] = [
  { do: 'put', id: 'lead' },
  { do: 'put', id: 'a', parent: 'lead' },
  { do: 'put', id: 'b', parent: 'a' },
];

/** Computes which agents are stopped, in a second way. A retired agent stays in the chain of parents. */
class StoppedAgents {
  readonly parents = new Map<string, string | undefined>();
  held: Set<string> | null = null;

  put(id: string, parent: string | undefined): void {
    this.parents.set(id, parent);
    this.join();
  }

  kill(): void {
    this.held ??= new Set(['lead']);
    this.join();
  }

  private join(): void {
    const { held } = this;
    if (held === null) return;
    for (let size = -1; size !== held.size; ) {
      size = held.size;
      for (const [id, parent] of this.parents) if (parent !== undefined && held.has(parent)) held.add(id);
    }
  }
}

function scene() {
  const fold = foldControl();
  const ledger = createMemoryLedger({ clock: () => START_MS, epoch: 'ep' });
  let revision = 0;
  const mandates = mandatesUnderControl(fold, () => revision);
  let asked = 0;

  return {
    ledger,
    revision: () => revision,
    change(body: object): boolean {
      revision += 1;
      const change = {
        id: `chg-${revision}`,
        tenant: TENANT,
        by: 'ann',
        reason: '',
        at: '2026-03-01T12:00:00.000Z',
      };
      return fold.apply(controlRecord.parse({ ...body, change }) as ControlRecord, revision).ok;
    },
    isRegistered: (id: string) => fold.tenant(TENANT).agents.has(id),
    async isStopped(agentId: string): Promise<boolean> {
      asked += 1;
      const action = { id: `act-${asked}`, agentId, type: 'tool_call' as const, tool: 'read' };
      const plan = planInForce(mandates, TENANT, action, START_MS);
      const [result] = await ledger.step([
        {
          op: 'decide',
          source: { topic: 't', partition: 0, offset: asked },
          appendedAtMs: START_MS,
          tenant: TENANT,
          agentId,
          actionId: action.id,
          attempt: 1,
          idempotencyKey: null,
          digest: 'd',
          type: 'tool_call',
          tool: 'read',
          deadlineAtMs: null,
          maxRemembered: 1_000,
          plan: { ...plan, controlRevision: revision },
        },
      ]);
      if (result?.kind !== 'decided') throw new Error('a request that is new is decided');
      expect((await ledger.killStatus(TENANT, agentId, mandates.ancestryOf(TENANT, agentId))).killed).toEqual(
        result.facts.kill,
      );
      return result.facts.kill !== null;
    },
  };
}

test('the agents that the kill stops stay stopped until the revive, and no other agents are stopped', async () => {
  let [outside, free] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }), async (drawn) => {
      const steps = [...BEGIN, ...drawn];
      const { ledger, change, isRegistered, isStopped, revision } = scene();
      const stoppedAgents = new StoppedAgents();
      for (const [at, one] of steps.entries()) {
        if (one.do === 'kill') {
          await ledger.kill(TARGET, { id: `k${at}`, by: 'op', reason: 'stop', controlRevision: revision() });
          stoppedAgents.kill();
        } else if (one.do === 'revive') {
          await ledger.revive(TARGET, (await ledger.flag(TARGET)).revision + 1, `r${at}`);
          stoppedAgents.held = null;
        } else if (one.do === 'retire') change({ event: 'agent.retired', agentId: one.id });
        else if (
          one.do === 'put' &&
          change({ event: 'agent.put', agent: { id: one.id, ...(one.parent && { parent: one.parent }) } })
        )
          stoppedAgents.put(one.id, one.parent);

        for (const id of AGENTS.filter(isRegistered)) {
          const held = stoppedAgents.held?.has(id) ?? false;
          expect(await isStopped(id), `${id} after ${at + 1} steps`).toBe(held);
          if (held && id !== 'lead' && stoppedAgents.parents.get(id) === undefined) outside += 1;
          if (!held && stoppedAgents.held !== null) free += 1;
        }
      }
    }),
    { numRuns: runs(200) },
  );
  expect(outside, 'agents were held that had left').toBeGreaterThan(hits(50));
  expect(free, 'agents that no kill stops were allowed').toBeGreaterThan(hits(50));
});
