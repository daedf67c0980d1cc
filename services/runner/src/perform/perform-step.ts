/** Performs one attempt of a step: requests the action of the step, does the work, and settles the action. */
import type { CurrentStep, EventDraft, RunPlan, RunState, StepResult } from '@mandate/agent-manifest';
import type { Logger } from '@mandate/runtime';
import type { Json } from '@mandate/schemas';
import type { Planes } from '../plane/planes.ts';
import { failureOfError } from './failure-of-error.ts';
import { type AllowedStep, askStep } from './step-action.ts';

export type StepWork = {
  run: RunState;
  current: CurrentStep;
  plan: RunPlan;
  /** True if this runner took over the attempt from another runner. */
  isTakenOver: boolean;
  append(events: readonly EventDraft[]): Promise<void>;
  /** Aborts if the runner stops or loses the run, and if the run is cancelled. */
  signal: AbortSignal;
};

/** Null: another runner performs the step, so the log must be read again. */
export type PerformStep = (work: StepWork) => Promise<StepResult | null>;

/** The allowed action of a step. `isConfirmed`: a person has approved it. */
export type Allowed = { actionId: string; signal: AbortSignal; isConfirmed: boolean };

export type StepKind = {
  /** Returns the arguments of the step's action. */
  args(work: StepWork): Promise<Readonly<Record<string, unknown>>>;
  /** Does the work of the step after its action is allowed. Null: another runner performs the step. */
  do(work: StepWork, allowed: Allowed): Promise<StepResult | null>;
};

export type StepKinds = {
  readonly [Kind in Exclude<ReturnType<RunPlan['kindOf']>, 'switch'>]: StepKind;
};

export function performStep(planes: Planes, kinds: StepKinds, log: Logger): PerformStep {
  return async (work) => {
    const { run, current, plan, isTakenOver, signal } = work;
    const { tenant, runId, manifest, principal } = run.started;
    const plane = planes.of(tenant);
    if (plane === null) {
      log.warn({ run: runId, tenant }, 'this runner has no key of the tenant, so it cannot perform the run');
      return null;
    }
    const kind = plan.kindOf(current.step);
    if (kind === 'switch') throw new Error('a switch is decided by the fold');
    const actionId = `${runId}:${current.step}:${current.visit}`;
    const scope = { agentId: manifest.id, ...(principal === null ? {} : { principal }) };
    // A final decision applies to its action permanently. After a person's retry, the step is another action.
    const askedId = run.retries === 0 ? actionId : `${actionId}~${run.retries}`;
    const asked = {
      agent: plane.mandate.with(scope).agent(),
      agentId: manifest.id,
      tool: `step.${current.step}`,
      args: await kinds[kind].args(work),
      ...{ actionId: askedId, isTakenOver, isGranted: current.isGranted ?? false, signal },
    };
    const allowed = await askStep(asked, plane);
    if (allowed === null || !('settle' in allowed)) return allowed;
    const { isConfirmed } = allowed;
    const doing = () => kinds[kind].do(work, { actionId, signal: allowed.signal, isConfirmed });
    return settled(allowed, doing, signal);
  };
}

/** Runs the work, and settles the action by the result. The action of a step that waits for a person stays open. */
async function settled(
  allowed: AllowedStep,
  work: () => Promise<StepResult | null>,
  ending: AbortSignal,
): Promise<StepResult | null> {
  let result: StepResult | null;
  try {
    result = await work();
  } catch (error) {
    if (ending.aborted) throw error;
    const aborted = allowed.signal.aborted ? allowed.signal.reason : error;
    result = { failure: failureOfError(aborted) };
  }
  if (result === null || 'deferred' in result || 'uncertain' in result) return result;
  await allowed.settle('failure' in result ? 'failure' : 'success');
  return result;
}

/** The inputs of a step as arguments of its action. Arguments must be an object. */
export function argsOf(inputs: Json | undefined): Readonly<Record<string, unknown>> {
  const isObject = typeof inputs === 'object' && inputs !== null && !Array.isArray(inputs);
  return isObject ? inputs : { inputs: inputs ?? null };
}
