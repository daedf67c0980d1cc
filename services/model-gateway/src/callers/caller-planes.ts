/**
 * The plane as the callers of the gateway use it. Each key has its own instance of the SDK. So the plane decides each
 * call with the key of its caller: the agents, pins and quotas of the key apply. Outcomes are reported with a key of the
 * gateway, because the gateway measures them.
 */
import { type Logger, outsideRequests } from '@mandate/runtime';
import { DEFAULTS } from '@mandate/schemas';
import { Mandate, type RunningAction, type RunningOutcome } from '@mandate/sdk/plane';
import { startCall } from '@mandate/sdk/proxy';
import { callerOf, credentialOf, HttpProblem, type HttpRequest } from '@mandate/server';
import type { NamedAgent } from './agent-of-request.ts';

type ModelCall = { provider: string; model: string; inputTokens: number; maxOutputTokens?: number };

export type CallerPlane = {
  /**
   * Returns the call once it is allowed.
   *
   * @param signal ends the wait. The reservation of a later decision is released
   * @throws MandateBlockedError, MandateDeferredError, or the reason of the signal
   */
  start(agent: NamedAgent, call: ModelCall, signal: AbortSignal): Promise<RunningAction>;
};

export type CallerPlanes = {
  /** @throws HttpProblem 403 OUTCOMES_NOT_REPORTED if no key may report the outcomes of the caller */
  of(request: HttpRequest): CallerPlane;
  /** Reports the outcomes that wait. */
  close(): Promise<void>;
};

/** How long a call may wait for its decision. */
const DECISION_MS = 10_000;
/** The maximum number of open instances: one for each key. */
const MOST_OPEN = 1_000;
/** After this time no call of an instance runs. Its lease has ended, and its outcome was reported. */
const LONGEST_CALL_MS = DEFAULTS.leaseMs + 60_000;

/** @param reporterKeyOf the key that reports the outcomes of a tenant. Null: the keys of its callers report them */
export function callerPlanesAt(
  planeUrl: string,
  reporterKeyOf: (tenant: string) => string | null,
  log: Logger,
): CallerPlanes {
  /** By the id of the key. The key that was not used for the longest time is the first. */
  const opened = new Map<string, Mandate>();
  const retired = new Map<Mandate, NodeJS.Timeout>();

  function mandateOf(request: HttpRequest): Mandate {
    const { id } = callerOf(request);
    const mandate = opened.get(id) ?? open(request);
    opened.delete(id);
    opened.set(id, mandate);
    const [[oldestId, oldest] = []] = opened;
    if (opened.size > MOST_OPEN && oldestId !== undefined && oldest !== undefined) {
      opened.delete(oldestId);
      retire(oldest);
    }
    return mandate;
  }

  function open(request: HttpRequest): Mandate {
    const { id, tenant, scopes } = callerOf(request);
    const reporterKey = reporterKeyOf(tenant);
    if (reporterKey === null && !scopes.includes('report')) throw outcomesNotReported();
    return new Mandate({
      planeUrl,
      apiKey: credentialOf(request) ?? '',
      timeoutMs: DECISION_MS,
      onError: (err) => log.warn({ err, keyId: id }, 'an outcome of a model call could not be reported yet'),
      ...(reporterKey !== null && { reporterKey }),
    });
  }

  /** Calls that still run can report their outcomes only to an open instance. */
  function retire(mandate: Mandate): void {
    const timer = setTimeout(() => {
      retired.delete(mandate);
      void mandate.close();
    }, LONGEST_CALL_MS);
    timer.unref();
    retired.set(mandate, timer);
  }

  return {
    // All requests of a key share its instance, so the work of the instance belongs to none of them.
    of: (request) => outsideRequests(() => callerPlane(mandateOf(request))),
    async close() {
      for (const timer of retired.values()) clearTimeout(timer);
      const all = [...opened.values(), ...retired.keys()];
      opened.clear();
      retired.clear();
      await Promise.all(all.map((mandate) => mandate.close()));
    },
  };
}

function callerPlane(mandate: Mandate): CallerPlane {
  return {
    start: ({ agentId, options }, call, signal) =>
      outsideRequests(async () => {
        const agent = mandate.agent({ agentId });
        const action = await startCall(agent, { type: 'llm_call', ...call, options }, signal);
        return {
          ...action,
          settle: (outcome: RunningOutcome) => outsideRequests(() => action.settle(outcome)),
        };
      }),
  };
}

function outcomesNotReported(): HttpProblem {
  return new HttpProblem(403, 'OUTCOMES_NOT_REPORTED', 'no key may report what the calls of this key cost', {
    remedy:
      'Use a key with the scope report, or give the gateway a key of the role reporter for this tenant.',
  });
}
