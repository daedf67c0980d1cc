/**
 * Makes random histories of a plane with one decider: requests, outcomes, operators' commands, lost answers, changed
 * mandates, time.
 */
import type { Incoming } from '@mandate/engine';
import { actionDigest } from '@mandate/policy';
import { isMandateError } from '@mandate/runtime';
import {
  type ActionRequested,
  DEFAULTS,
  type DecisionsRecord,
  type KillTarget,
  readActionsRecord,
  wireTime,
} from '@mandate/schemas';
import fc from 'fast-check';
import { type Box, reporting } from '../decider-in-a-box.ts';
import { arbitraryAsk, arbitraryMandate, arbitraryReport } from './arbitrary-requests.ts';

const target: fc.Arbitrary<KillTarget> = fc.constantFrom(
  { scope: 'agent', tenant: 'default', agentId: 'agent-1' },
  { scope: 'tenant', tenant: 'acme' },
  { scope: 'all' },
);

const happening = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      did: fc.constant('ask' as const),
      ask: arbitraryAsk,
      agoMs: fc.constantFrom(0, 0, 40_000),
      lost: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      did: fc.constant('report' as const),
      report: arbitraryReport,
      lost: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ did: fc.constant('again' as const), back: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      did: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 9, 500, 4_000, 90_000_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      did: fc.constant('approve' as const),
      back: fc.nat(3),
      answer: fc.constantFrom('granted' as const, 'denied' as const),
      forMs: fc.constantFrom(5, 10_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ did: fc.constant('kill' as const), target }) },
  { weight: 1, arbitrary: fc.record({ did: fc.constant('revive' as const), target }) },
  {
    weight: 1,
    arbitrary: fc.record({
      did: fc.constant('adjust' as const),
      deltaMicros: fc.constantFrom(-500_000, 1, 200_000),
      windowMs: fc.constantFrom(null, 500),
    }),
  },
  { weight: 1, arbitrary: fc.record({ did: fc.constant('enforce' as const), mandate: arbitraryMandate }) },
);
export type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never;

export const arbitraryHistory = fc.array(happening, { minLength: 1, maxLength: 30, size: 'max' });

/** Runs the history on the decider. Operators' commands are appended to the log, as the gateway does. */
export async function playHistory(box: Box, history: readonly Happening[]): Promise<void> {
  const deliveries: Incoming[] = [];
  let lost: Incoming[] = [];
  /** If the answer to a request was lost, the request is delivered again before later requests, as on a partition. */
  const deliver = async (incoming: Incoming, isLost: boolean) => {
    deliveries.push(incoming);
    await box.answer([...lost, incoming], isLost);
    lost = isLost ? [...lost, incoming] : [];
  };
  for (const [at, happening] of history.entries()) {
    const command = { id: `c${at}`, by: 'op', reason: 'because' };
    switch (happening.did) {
      case 'ask': {
        const incoming = box.append(happening.ask, undefined, box.clock() - happening.agoMs);
        await deliver(incoming, happening.lost);
        break;
      }
      case 'report':
        await deliver(box.append(reporting(happening.report)), happening.lost);
        break;
      case 'again': {
        const incoming = deliveries.at(-1 - happening.back);
        if (incoming !== undefined && lost.length === 0) await box.answer([incoming]);
        break;
      }
      case 'wait':
        // After the replay memory, a repeated request would count as new. So before a long wait, requests with lost
        // answers are delivered again.
        if (happening.ms > 1e6) {
          await settleDown(box, deliveries);
          lost = [];
        }
        box.clock.advance(happening.ms);
        break;
      case 'approve': {
        const asked = deliveries.flatMap(({ value }) => askedIn(value)).at(-1 - happening.back);
        // The ledger refuses an approval without a question. Then the step changes nothing.
        await (asked && approve(box, asked.action, happening, command))?.catch((error: unknown) => {
          if (!isMandateError(error) || !error.code.startsWith('APPROVAL_NOT_')) throw error;
        });
        break;
      }
      case 'kill': {
        const { revision, sequences, open } = await box.ledger.kill(happening.target, command);
        box.publish({
          event: 'agent.killed',
          kill: {
            ...command,
            at: wireTime(box.clock()),
            target: happening.target,
            revision,
            ledgerEpoch: box.ledger.epoch,
            ledgerSequences: { ...sequences },
            openCount: open.length,
            open: [...open],
          },
        });
        break;
      }
      case 'revive': {
        const revision = (await box.ledger.flag(happening.target)).revision + 1;
        box.publish({
          event: 'agent.revived',
          revive: { ...command, at: wireTime(box.clock()), target: happening.target, revision },
        });
        await box.ledger.revive(happening.target, revision, command.id);
        break;
      }
      case 'adjust':
        // The ledger refuses an amount that a counter cannot hold. Then the step changes nothing.
        await adjust(box, happening, command).catch((error: unknown) => {
          if (!isMandateError(error, 'ADJUSTMENT_TOO_LARGE')) throw error;
        });
        break;
      case 'enforce':
        box.enforce([happening.mandate]);
        break;
    }
  }
  await settleDown(box, deliveries);
}

/** Delivers all requests once more, in order, so that lost answers reach the log. */
async function settleDown(box: Box, deliveries: Incoming[]): Promise<void> {
  if (deliveries.length > 0) await box.answer(deliveries);
  deliveries.length = 0;
}

function askedIn(value: Uint8Array): ActionRequested[] {
  const read = readActionsRecord(value);
  return read.ok && read.value.event === 'action.requested' ? [read.value] : [];
}

type Command = { id: string; by: string; reason: string };

async function approve(
  box: Box,
  action: ActionRequested['action'],
  { answer, forMs }: Happening & { did: 'approve' },
  command: Command,
): Promise<void> {
  const expiresAtMs = box.clock() + forMs;
  const approval = {
    ...command,
    tenant: action.tenant ?? DEFAULTS.tenant,
    agentId: action.agentId,
    actionId: action.id,
    digest: actionDigest(action),
    answer,
  };
  const receipt = await box.ledger.approve({ ...approval, expiresAtMs });
  box.publish({
    event: 'approval.recorded',
    approval: { ...approval, expiresAt: wireTime(expiresAtMs), ...stamp(receipt) },
  });
}

async function adjust(
  box: Box,
  { deltaMicros, windowMs }: Happening & { did: 'adjust' },
  command: Command,
): Promise<void> {
  const budget = {
    scope: 'agent' as const,
    subject: 'agent-1',
    id: windowMs === null ? 'total' : 'a',
    windowMs,
  };
  const adjustment = { ...command, tenant: DEFAULTS.tenant, budget };
  const receipt = await box.ledger.adjust({ ...adjustment, delta: deltaMicros });
  box.publish({
    event: 'budget.adjusted',
    adjustment: { ...adjustment, deltaMicros, spentMicros: receipt.spent, ...stamp(receipt) },
  });
}

function stamp({ atMs, epoch, sequence }: { atMs: number; epoch: string; sequence: number }) {
  return { at: wireTime(atMs), ledgerEpoch: epoch, ledgerSequence: sequence };
}

/** Returns the decisions among the records, in the form in which a reader of the decisions topic gets them. */
export function decisionsIn(records: readonly DecisionsRecord[]) {
  return records.flatMap((record) => (record.event === 'action.decided' ? [record.decision] : []));
}
