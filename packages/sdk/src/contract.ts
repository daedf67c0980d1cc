/**
 * Tests what every mode of the SDK promises about tools. Each mode runs all these tests. Only tests import this file.
 *
 *     sdkContract('local mode', async () => ({ agentUnder }));
 */
import { describe, expect, test } from 'vitest';
import type { MandateBlockedError, MandateDeferredError } from './errors.ts';
import { findMandateError } from './errors.ts';
import type { Mandate } from './index.ts';
import type { BlockCode, MandateDocument, RunOptions, Tool } from './types.ts';
import type { Executor } from './wrapper.ts';

/** An agent of its own for each test. */
type Agent = { agentId: string; mandate: Mandate; tools: Executor };

export type Bench = {
  /** Puts a new agent under this mandate, in the mode that is tested. */
  agentUnder(document: MandateDocument): Promise<Agent>;
};

const DOLLAR = 1_000_000;

/** How often a test asks until something is so, and how long at most. */
const WAITING = { interval: 5, timeout: 30_000 };

/** Every call of `pay` costs five dollars. */
const PAY = { toolPolicies: { pay: { cost: 5 } } } as const;

/** @param open called before each test */
export function sdkContract(name: string, open: () => Promise<Bench>): void {
  const agentUnder = async (document: MandateDocument): Promise<Agent> => (await open()).agentUnder(document);

  describe(`${name} keeps the contract of the SDK:`, () => {
    describe('money', () => {
      test('a budget of 0 blocks a call that costs something', async () => {
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 0 });
        const { runs, pay } = counting();
        expect(await codeOf(tools.run('pay', {}, pay))).toBe('COST_LIMIT_EXCEEDED');
        expect([runs(), await mandate.getCost(agentId)]).toEqual([0, costing(0)]);
      });

      test('20 calls of five dollars at once, under ten dollars: two run', async () => {
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 10 });
        const { runs, pay } = counting();
        const codes = await atOnce(20, () => tools.run('pay', {}, pay));
        expect(tally(codes)).toEqual({ ran: 2, COST_LIMIT_EXCEEDED: 18 });
        expect([runs(), await mandate.getCost(agentId)]).toEqual([2, costing(10)]);
        expect(await mandate.getRemainingBudget(agentId)).toBe(0);
      });

      test('1,000 calls of a dollar at once, under a hundred dollars: 100 run', async () => {
        const { tools, mandate, agentId } = await agentUnder({
          maxCostTotal: 100,
          toolPolicies: { pay: { cost: 1 } },
        });
        const { runs, pay } = counting();
        const codes = await atOnce(1_000, () => tools.run('pay', {}, pay));
        expect(tally(codes)).toEqual({ ran: 100, COST_LIMIT_EXCEEDED: 900 });
        expect([runs(), await mandate.getCost(agentId)]).toEqual([100, costing(100)]);
      });

      test('a result that claims a cost changes no charge', async () => {
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 10 });
        const claims = { cost: -100, actualCostMicros: -100, chargedMicros: 0, usage: { cost: -100 } };
        expect(await tools.run('pay', {}, () => claims)).toBe(claims);
        expect(await mandate.getCost(agentId)).toEqual(costing(5));
      });

      test('an actual cost that the caller reads from the result is charged, but no less than the price', async () => {
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 20 });
        const options = { actualCostMicros: (result: { micros: number }) => result.micros };
        await tools.run('pay', {}, () => ({ micros: 6 * DOLLAR }), options);
        await tools.run('pay', {}, () => ({ micros: 1 }), options);
        expect(await mandate.getCost(agentId)).toEqual(costing(11));
      });

      test('a call that failed costs nothing, and its budget can be spent again', async () => {
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 5 });
        await expect(tools.run('pay', {}, failing)).rejects.toThrow('the bank is closed');
        expect(await mandate.getCost(agentId)).toEqual(costing(0));
        expect(await tools.run('pay', {}, () => 'paid')).toBe('paid');
        expect(await mandate.getCost(agentId)).toEqual(costing(5));
      });
    });

    describe('rates', () => {
      test('ten free calls under a limit of two: two run', async () => {
        const { tools } = await agentUnder({ rateLimit: { maxCalls: 2, windowMs: 3_600_000 } });
        const { runs, pay } = counting();
        const codes = await atOnce(10, () => tools.run('pay', {}, pay));
        expect(tally(codes)).toEqual({ ran: 2, RATE_LIMIT_EXCEEDED: 8 });
        expect(runs()).toBe(2);
      });

      test('a refusal by a rate can be retried, and charges nothing', async () => {
        const rateLimit = { maxCalls: 1, windowMs: 3_600_000 };
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100, rateLimit });
        await tools.run('pay', {}, () => null);
        const refused = await refusalOf(tools.run('pay', {}, () => null));
        expect(refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryable: true });
        expect(refused.retryAfterMs).toBeGreaterThan(3_000_000);
        expect(await mandate.getCost(agentId)).toEqual(costing(5));
        expect(await mandate.getCallCount(agentId)).toBe(1);
      });
    });

    describe('once', () => {
      test('three calls with one idempotency key: one runs', async () => {
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
        const { runs, pay } = counting();
        const codes = await atOnce(3, () => tools.run('pay', {}, pay, { idempotencyKey: 'order-7' }));
        expect(tally(codes)).toEqual({ ran: 1, DUPLICATE_ACTION: 2 });
        expect(await codeOf(tools.run('pay', {}, pay, { idempotencyKey: 'order-7' }))).toBe(
          'DUPLICATE_ACTION',
        );
        expect([runs(), await mandate.getCost(agentId)]).toEqual([1, costing(5)]);
      });

      test('a framework that runs a call twice gets the same result, and the tool runs once', async () => {
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
        const { runs, pay } = counting();
        const call = { callId: 'call_0', runId: `run-${agentId}` };
        expect(await atOnce(3, () => tools.run('pay', {}, pay, call))).toEqual(['ran', 'ran', 'ran']);
        expect([runs(), await mandate.getCost(agentId)]).toEqual([1, costing(5)]);
      });

      test('a call that was asked starts once, with the decision of the ask', async () => {
        const { mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
        const agent = mandate.agent({ agentId });
        const options = { callId: 'call_0', runId: `run-${agentId}` };
        const call = { type: 'tool_call', tool: 'pay', args: { to: 'ann' }, options } as const;
        const { decision } = await agent.ask(call);
        const running = await agent.start(call);
        expect(running.decision.id).toBe(decision.id);
        expect(await codeOf(agent.start(call))).toBe('DUPLICATE_ACTION');
        await running.settle({ status: 'success' });
        expect(await mandate.getCost(agentId)).toEqual(costing(5));
      });

      test('a failed call is retried with the same idempotency key, as the next attempt', async () => {
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
        const key = { idempotencyKey: 'order-7' };
        await expect(tools.run('pay', {}, failing, key)).rejects.toThrow('the bank is closed');
        await expect(tools.run('pay', {}, failing, key)).rejects.toThrow('the bank is closed');
        expect(await tools.run('pay', {}, () => 'paid', key)).toBe('paid');
        const again = await refusalOf(tools.run('pay', {}, () => 'paid', key));
        expect(again).toMatchObject({ code: 'DUPLICATE_ACTION', retryable: false });
        expect(again.decision?.duplicateOf?.attempt).toBe(3);
        expect(await mandate.getCost(agentId)).toEqual(costing(5));
      });

      test('a key that returns with other arguments is refused, also after a failure', async () => {
        const { tools } = await agentUnder({});
        const key = { idempotencyKey: 'order-7' };
        await expect(tools.run('pay', { to: 'ann' }, failing, key)).rejects.toThrow('the bank is closed');
        expect(await codeOf(tools.run('pay', { to: 'bob' }, () => null, key))).toBe('DUPLICATE_ACTION');
      });
    });

    describe('leases', () => {
      test('a lease that ran out aborts the call and keeps the charge, and a late result settles it', async () => {
        const { tools, mandate, agentId } = await agentUnder({
          maxCostTotal: 100,
          toolPolicies: { pay: { cost: 5, executionLeaseMs: 20 } },
        });
        const late = Promise.withResolvers<string>();
        const seen = Promise.withResolvers<AbortSignal>();
        const tool: Tool<object, string> = (_args, signal) => {
          seen.resolve(signal);
          return late.promise;
        };
        const refused = await refusalOf(tools.run('pay', {}, tool, { actualCostMicros: 7 * DOLLAR }));
        expect(refused).toMatchObject({ code: 'LEASE_EXPIRED', agentId });
        const signal = await seen.promise;
        expect([signal.aborted, signal.reason]).toEqual([true, refused]);
        expect(await mandate.getCost(agentId)).toEqual(costing(5));
        late.resolve('done');
        await expect.poll(() => mandate.getCost(agentId), WAITING).toEqual(costing(7));
      });

      test('a call that fails after its lease ran out keeps its charge, and may be tried again', async () => {
        const { tools, mandate, agentId } = await agentUnder({
          maxCostTotal: 100,
          toolPolicies: { pay: { cost: 5, executionLeaseMs: 100 } },
        });
        const key = { idempotencyKey: 'order-7' };
        expect(await codeOf(tools.run('pay', {}, untilAborted, key))).toBe('LEASE_EXPIRED');
        await expect.poll(() => codeOf(tools.run('pay', {}, () => 'paid', key)), WAITING).toBe('ran');
        expect(await mandate.getCost(agentId)).toEqual(costing(10));
      });
    });

    describe('verification', () => {
      const tiers = { type: 'TIERED', attempt: 1, success: 2, verification: 4 } as const;

      test('a result that passes is charged as verified, and one that was not checked as a success', async () => {
        const { tools, mandate, agentId } = await agentUnder({ defaultChargingPolicy: tiers });
        expect(await tools.run('pay', {}, () => 'paid', { verifyResult: (is) => is === 'paid' })).toBe(
          'paid',
        );
        expect(await mandate.getCost(agentId)).toEqual(costing(7));
        await tools.run('pay', {}, () => 'paid');
        expect(await mandate.getCost(agentId)).toEqual(costing(10));
      });

      test.each<[string, RunOptions]>([
        ['is refused', { verifyResult: () => false }],
        ['gets no clear answer', { verifyResult: () => 'yes' as never }],
        [
          'makes the check throw',
          {
            verifyResult: () => {
              throw new Error('no receipt');
            },
          },
        ],
        [
          'is not checked in time',
          { verifyResult: (_result, { signal }) => untilAborted({}, signal), verifyTimeoutMs: 10 },
        ],
      ])('a result that %s is charged as a failure, and refused', async (_what, options) => {
        const { tools, mandate, agentId } = await agentUnder({ defaultChargingPolicy: tiers });
        const refused = await refusalOf(tools.run('pay', {}, () => 'paid', options as RunOptions<string>));
        expect(refused).toMatchObject({ code: 'VERIFICATION_FAILED', retryable: false, agentId });
        expect(await mandate.getCost(agentId)).toEqual(costing(1));
      });
    });

    describe('large arguments', () => {
      const text = 'a line of text\n'.repeat(80_000);

      test('a tool gets a megabyte of text, of which the decision has a digest', async () => {
        const { mandate, agentId } = await agentUnder({ allowedTools: ['write_file'] });
        const args = { path: '/tmp/a', content: text };
        const tools = mandate.createExecutor({ agentId });
        expect(await tools.run('write_file', args, ({ content }) => content.length)).toBe(text.length);
        const agent = mandate.agent({ agentId });
        const running = await agent.start({ type: 'tool_call', tool: 'write_file', args });
        expect(running.args).toEqual(args);
        expect(running.decision.action).toMatchObject({
          args: { path: '/tmp/a', content: { $digested: { type: 'string', length: text.length } } },
        });
        await running.settle({ status: 'success' });
      });

      test('a rule that must read the text refuses it', async () => {
        const validation = { argumentValidation: { validators: ['noSystemPaths'] } };
        const { tools } = await agentUnder({ toolPolicies: { write_file: validation } });
        const { runs, pay } = counting();
        const run = (content: string) => codeOf(tools.run('write_file', { content }, pay));
        expect([await run(text), await run('short'), runs()]).toEqual([
          'ARGUMENT_VALIDATION_FAILED',
          'ran',
          1,
        ]);
      });
    });

    describe('questions to a person', () => {
      const asking = { maxCostTotal: 100, toolPolicies: { pay: { cost: 5, requiresConfirmation: true } } };
      const args = { to: 'ann' };

      test('an approved call runs once, and an unanswered one does not run', async () => {
        const { tools, mandate, agentId } = await agentUnder(asking);
        const { runs, pay } = counting();
        const deferred = await deferralOf(tools.run('pay', args, pay));
        const again = { actionId: deferred.action.id };
        expect((await deferralOf(tools.run('pay', args, pay, again))).approvalId).toBe(deferred.approvalId);
        await mandate.approve(deferred, { by: 'op', reason: 'fine' });
        expect(await tools.run('pay', args, pay, again)).toBe('paid');
        expect(await codeOf(tools.run('pay', args, pay, again))).toBe('DUPLICATE_ACTION');
        expect([runs(), await mandate.getCost(agentId)]).toEqual([1, costing(5)]);
      });

      test('a call that waits runs as soon as a person approves it, once', async () => {
        const { tools, mandate, agentId } = await agentUnder(asking);
        const { runs, pay } = counting();
        const key = { idempotencyKey: 'order-7' };
        const waiting = tools.run('pay', args, pay, { ...key, onDefer: 'wait' });
        const { approvalId } = await deferralOf(tools.run('pay', args, pay, key));
        expect(runs()).toBe(0);
        await mandate.approve(approvalId);
        expect(await waiting).toBe('paid');
        expect([runs(), await mandate.getCost(agentId)]).toEqual([1, costing(5)]);
      });

      test('a call that waits is blocked as soon as a person denies it', async () => {
        const { tools, mandate, agentId } = await agentUnder(asking);
        const { runs, pay } = counting();
        const key = { idempotencyKey: 'order-7' };
        const waiting = refusalOf(tools.run('pay', args, pay, { ...key, onDefer: 'wait' }));
        await mandate.deny(await deferralOf(tools.run('pay', args, pay, key)), { reason: 'too much' });
        expect(await waiting).toMatchObject({ code: 'APPROVAL_DENIED' });
        expect([runs(), await mandate.getCost(agentId)]).toEqual([0, costing(0)]);
      });

      test('a call that waits throws after its time, or when its agent is killed', async () => {
        const { tools, mandate, agentId } = await agentUnder(asking);
        const { runs, pay } = counting();
        const wait = { onDefer: 'wait', deferTimeoutMs: 20 } as const;
        expect((await deferralOf(tools.run('pay', args, pay, wait))).approvalId).not.toBe('');
        const key = { idempotencyKey: 'order-7' };
        const waiting = refusalOf(tools.run('pay', args, pay, { ...key, onDefer: 'wait' }));
        await deferralOf(tools.run('pay', args, pay, key));
        await mandate.kill(agentId, 'runaway');
        expect(await waiting).toMatchObject({ code: 'AGENT_KILLED' });
        expect(runs()).toBe(0);
      });
    });

    describe('refusals', () => {
      const schema = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] };

      test('required arguments that are left out are refused', async () => {
        const { tools } = await agentUnder({ toolPolicies: { pay: { argumentValidation: { schema } } } });
        const { runs, pay } = counting();
        const refused = await refusalOf(tools.run('pay', {}, pay));
        expect(refused).toMatchObject({ code: 'ARGUMENT_VALIDATION_FAILED', retryable: false });
        expect(await codeOf(tools.run('pay', undefined as never, pay))).toBe('ARGUMENT_VALIDATION_FAILED');
        expect(runs()).toBe(0);
        expect(await codeOf(tools.run('pay', { to: 'ann' }, pay))).toBe('ran');
      });

      test('arguments that a validator changed are decided and run', async () => {
        const { tools } = await agentUnder({ toolPolicies: { pay: { argumentValidation: { schema } } } });
        const validate = (args: unknown) => ({ to: 'ann', ...(args as object) });
        expect(await tools.run('pay', {}, (args) => args, { validate })).toEqual({ to: 'ann' });
        const numbered = { validate: () => ({ to: 7 }) };
        expect(await codeOf(tools.run('pay', { to: 'ann' }, () => null, numbered))).toBe(
          'ARGUMENT_VALIDATION_FAILED',
        );
      });

      test.each<[string, MandateDocument, BlockCode]>([
        ['an empty list of allowed tools', { allowedTools: [] }, 'TOOL_NOT_ALLOWED'],
        ['a list without the tool', { allowedTools: ['read_*'] }, 'TOOL_NOT_ALLOWED'],
        ['a list of denied tools', { allowedTools: ['*'], deniedTools: ['pay'] }, 'TOOL_DENIED'],
        ['an expired mandate', { expiresAt: '2020-01-01T00:00:00Z' }, 'MANDATE_EXPIRED'],
      ])('%s refuses the call', async (_what, document, code) => {
        const { tools, mandate, agentId } = await agentUnder(document);
        const { runs, pay } = counting();
        const refused = await refusalOf(tools.run('pay', { to: 'ann' }, pay));
        expect(refused).toMatchObject({ code, agentId, action: { tool: 'pay', agentId } });
        expect(refused.decision).toMatchObject({ verdict: 'BLOCK', code });
        expect(refused.message).toBe(`${code}: ${refused.reason} ${refused.remedy}`);
        expect([runs(), await mandate.getCallCount(agentId)]).toEqual([0, 0]);
      });

      test('a killed agent is refused until it is revived, and other agents are not', async () => {
        const { agentUnder: put } = await open();
        const [one, other] = [await put({}), await put({})];
        await one.mandate.kill(one.agentId, 'runaway');
        const refused = await refusalOf(one.tools.run('pay', {}, () => null));
        expect(refused.code).toBe('AGENT_KILLED');
        expect(refused.reason).toContain('runaway');
        expect(await codeOf(other.tools.run('pay', {}, () => null))).toBe('ran');
        expect(await one.mandate.isKilled(one.agentId)).toBe(true);
        expect(await one.mandate.revive(one.agentId)).toBe(true);
        expect(await codeOf(one.tools.run('pay', {}, () => null))).toBe('ran');
      });

      test('a kill aborts a running call, and its charge stays', async () => {
        const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
        const started = Promise.withResolvers<void>();
        const running = tools.run('pay', {}, (_args, signal) => {
          started.resolve();
          return untilAborted({}, signal);
        });
        await started.promise;
        await mandate.kill(agentId, 'runaway');
        const refused = await refusalOf(running);
        expect(refused).toMatchObject({ code: 'AGENT_KILLED', retryable: false });
        expect(refused.reason).toContain('runaway');
        expect(await mandate.getCost(agentId)).toEqual(costing(5));
      });
    });
  });
}

/** A tool that counts how often it ran. */
function counting(): { runs(): number; pay: Tool<object, string> } {
  let runs = 0;
  return {
    runs: () => runs,
    pay: async () => {
      runs += 1;
      return 'paid';
    },
  };
}

const failing: Tool<object, never> = () => {
  throw new Error('the bank is closed');
};

const untilAborted: Tool<object, never> = (_args, signal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

function costing(dollars: number): object {
  return { totalMicros: dollars * DOLLAR, llmMicros: 0, toolMicros: dollars * DOLLAR };
}

/** Returns the refusal with which the call ended. Fails if it ended otherwise. */
async function refusalOf(call: Promise<unknown>): Promise<MandateBlockedError> {
  const thrown = await call.then(
    (result) => new Error(`the call was not refused, it returned ${String(result)}`),
    (error: unknown) => error,
  );
  const found = findMandateError(thrown);
  if (found?.name !== 'MandateBlockedError') throw thrown;
  return found as MandateBlockedError;
}

/** Returns the question with which the call ended. Fails if it ended otherwise. */
async function deferralOf(call: Promise<unknown>): Promise<MandateDeferredError> {
  const thrown = await call.then(
    (result) => new Error(`the call was not deferred, it returned ${String(result)}`),
    (error: unknown) => error,
  );
  const found = findMandateError(thrown);
  if (found?.name !== 'MandateDeferredError') throw thrown;
  return found as MandateDeferredError;
}

/** Returns `ran`, or the code of the refusal. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ran';
  } catch (error) {
    const found = findMandateError(error);
    if (found === null) throw error;
    return found.code;
  }
}

function atOnce(times: number, call: () => Promise<unknown>): Promise<string[]> {
  return Promise.all(Array.from({ length: times }, () => codeOf(call())));
}

function tally(codes: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]));
}
