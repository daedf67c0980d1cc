import type { RunEvent } from '@mandate/schemas';
import { agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { nextOfRun } from './next-of-run.ts';
import { stateOfRun } from './run-state.ts';
import { workflowOf, workflowPlan } from './workflow-plan.ts';

const AT = '2026-11-01T08:00:00.000Z';

test('makes a call again if a person says that it was not done, even if the manifest allows no retry', () => {
  const manifest = agentManifestDocument.parse({
    ...{ apiVersion: 'coreason.ai/v2', kind: 'Recipe', metadata: { name: 'M' }, policy: { max_retries: 0 } },
    definitions: { w: { type: 'agent', name: 'W', role: 'r', goal: 'g', model: 'm' } },
    workflow: { start: 'a', steps: { a: { type: 'agent', agent: 'w' } } },
  });
  const workflow = workflowOf(manifest, null);
  if (workflow === null) throw new Error('the manifest has a workflow');
  const plan = workflowPlan(manifest, workflow);
  const place = { step: 'a', visit: 1, attempt: 1 };
  const events = [
    { event: 'run.started', inputs: {}, agent: null },
    { event: 'step.begun', ...place, inputs: {} },
    { event: 'step.uncertain', ...place, agentId: null, actionId: null, tool: null },
    { event: 'step.resolved', ...place, done: false },
  ].map((event) => ({ ...event, runId: 'run_1', tenant: 'default', at: AT }) as unknown as RunEvent);
  const afterwards = (more: readonly object[]) => {
    const state = stateOfRun(plan, [...events, ...more.map((event) => ({ ...event, at: AT }) as RunEvent)]);
    if (state === null) throw new Error('the run has started');
    const next = nextOfRun(plan, state, Date.parse(AT));
    return next.do === 'append' ? next.events : [];
  };
  const failed = afterwards([]);
  expect(failed).toMatchObject([{ event: 'step.failed', code: 'STEP_FAILED', retryable: true }]);
  expect(afterwards(failed)).toMatchObject([{ event: 'step.retrying', attempt: 2, delayMs: 1_000 }]);
});
