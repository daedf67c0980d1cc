/**
 * Plane mode: a plane decides, over HTTP. The mandates are those of the plane. If the plane gives no answer in time, the
 * call is blocked: there is no other behaviour.
 */
import { MandateError } from '@mandate/runtime/errors';
import type { ActionRequested, Outcome } from '@mandate/schemas';
import { isObject } from '../create-action.ts';
import type { DecisionPoint, ReadAction } from '../decision-point.ts';
import { misused, refuseOption } from '../errors.ts';
import { OutcomeQueue, type Receipt } from '../outcome-queue.ts';
import { Semaphore } from '../semaphore.ts';
import type { OnError } from '../types.ts';
import { askPlane } from './ask-plane.ts';
import { permittedByPlane } from './permitted-by-plane.ts';
import { planeApprovals } from './plane-approvals.ts';
import { PlaneConnection, problemOf, refusalOf, sayFailure } from './plane-connection.ts';
import { PlaneKills } from './plane-kills.ts';
import { type PlaneOptions, planeSettings } from './plane-options.ts';
import { AUDIT_WAIT_MS, usageOf } from './usage-of-agent.ts';

/**
 * The maximum number of calls that wait for a decision at one time. The others wait for their turn, within their time
 * limit.
 */
const MOST_ASKING = 64;
const MOST_WAITING = 10_000;

type Options = PlaneOptions & { onError: OnError } & {
  [Name in 'mode' | 'mandate' | 'charge' | 'audit']?: unknown;
};

/** @throws MandateError SDK_MISUSED */
export function planePoint(options: Options): DecisionPoint {
  const { mode = 'plane', onError } = options;
  if (mode !== 'plane') throw misused('This entry has only the mode "plane".', 'Import `@mandate/sdk`.');
  refuseOption(mode, options, 'charge', 'Leave it out. The plane prices each call.');
  refuseOption(mode, options, 'audit', 'Leave it out. The plane records each call.');
  let isReported = false;
  const reportMandate = () => {
    if (!isReported) onError(mandateIgnored());
    isReported = true;
  };
  if (options.mandate !== undefined) reportMandate();
  if (options.kafka !== undefined) return options.kafka({ readAction, addMandate: reportMandate, onError });
  const settings = planeSettings(options);
  const connection = new PlaneConnection(settings);
  const { url: name, closed } = connection;
  const { reporterKey } = options;
  const reporting =
    reporterKey === undefined ? connection : new PlaneConnection({ ...settings, keyOf: () => reporterKey });
  const outcomes = new OutcomeQueue<Outcome>(
    { name, closed, take: (batch) => reportOutcomes(reporting, batch) },
    onError,
  );
  const kills = new PlaneKills(connection, onError);
  const asking = new Semaphore({ running: MOST_ASKING, waiting: MOST_WAITING });
  const usage = async (agentId: string, auditWaitMs = AUDIT_WAIT_MS) => {
    await outcomes.delivered(agentId, connection.timeoutMs);
    return usageOf(connection, agentId, auditWaitMs);
  };
  return {
    readAction,
    async decide(record) {
      const untilMs = performance.now() + connection.timeoutMs;
      const { agentId } = record.action;
      return asking.run(untilMs, async () => {
        // The next call of an agent must see the amounts that its earlier calls gave back.
        await outcomes.delivered(agentId, untilMs - performance.now());
        return askPlane(connection, record, untilMs);
      });
    },
    permits: (caller, tools) => permittedByPlane(connection, caller, tools),
    settle: async (outcome) => outcomes.add(outcome),
    kills,
    approvals: planeApprovals(connection),
    costOf: async (agentId) => (await usage(agentId)).cost,
    callsOf: async (agentId) => (await usage(agentId)).calls,
    // The remaining budget comes from the ledger, so the plane need not wait for its audit.
    remainingBudgetOf: async (agentId) => (await usage(agentId, 0)).remainingMicros,
    addMandate: reportMandate,
    flush: (options) => outcomes.flush(options),
    auditCounts: () => outcomes.counts(),
    async close(options) {
      await outcomes.flush(options);
      connection.close();
      reporting.close();
      outcomes.close();
      kills.close();
    },
  };
}

/** Finds a key that the strict reader of JSON refuses, in a text that `JSON.stringify` has written. */
const REFUSED_KEY = /"(__proto__|constructor)":/;

/** Copies the record. The plane checks it, but cannot see the keys inside values that became digests. */
function readAction(json: string, whole: string): ReadAction {
  const key = REFUSED_KEY.exec(whole)?.[1];
  if (key !== undefined)
    return {
      ok: false,
      fault: { reason: `the key "${key}" is refused`, remedy: 'give the field another name' },
    };
  const record = JSON.parse(json) as ActionRequested;
  const { action } = record;
  if (action.type !== 'tool_call' || isObject(action.args)) return { ok: true, value: record };
  return {
    ok: false,
    fault: { reason: 'the arguments are no object', remedy: 'call the tool with an object of arguments' },
  };
}

/** How long the gateway waits for the settlements, so that the costs of an agent are exact after it. */
const SETTLEMENT_MS = 1_000;
const REPORT_MS = 10_000;

/** Refusals that concern single outcomes of a batch. */
const OF_ONE_RECORD: ReadonlySet<unknown> = new Set([
  'INVALID_OUTCOME',
  'AGENT_NOT_ALLOWED',
  'TENANT_MISMATCH',
]);

async function reportOutcomes(connection: PlaneConnection, body: readonly Outcome[]): Promise<Receipt> {
  const path = `/v1/outcomes?waitMs=${SETTLEMENT_MS}`;
  const later = (why: string, afterMs: number | null): Receipt => ({
    kind: 'later',
    why,
    afterMs: afterMs ?? 0,
  });
  try {
    const sent = await connection.send({ method: 'POST', path, body }, REPORT_MS);
    if (sent.status === 200 || sent.status === 202) return { kind: 'taken' };
    const problem = problemOf(sent.body);
    // A key may be replaced, and an address corrected. Only a plane can refuse an outcome permanently.
    if (problem === null || ![400, 403, 409, 410, 413].includes(sent.status))
      return later(refusalOf(connection.url, sent).message, sent.retryAfterMs);
    const isOfOne = OF_ONE_RECORD.has(problem.code) || sent.status === 413;
    return { kind: isOfOne ? 'smaller' : 'lost', why: `${problem.detail}. ${problem.remedy}` };
  } catch (error) {
    return later(sayFailure(error), 0);
  }
}

function mandateIgnored(): MandateError {
  return new MandateError('MANDATE_IGNORED', 'A mandate in the code does not apply in plane mode.', {
    remedy: 'Leave it out. The policies of the plane apply.',
  });
}
