/**
 * Runs an agent for a step. Its model calls and its tool calls are events of the step, and actions below the action of
 * the step.
 */
import type { EventDraft, StepResult } from '@mandate/agent-manifest';
import type { CallEvent } from '../agent-step/call-event.ts';
import type { AgentStepResult } from '../agent-step/port.ts';
import { runAgentStep } from '../agent-step/run-agent-step.ts';
import type { LoadedManifest } from '../manifests/plans.ts';
import type { Allowed, StepWork } from './perform-step.ts';
import { type AskedAgent, stepOfAgent } from './step-of-agent.ts';
import type { StepParts } from './step-parts.ts';

/**
 * @param loaded the manifest of the agent
 * @returns null if another runner performs the step
 */
export async function askAgent(
  parts: StepParts,
  loaded: LoadedManifest,
  asked: AskedAgent,
  work: StepWork,
  { actionId, signal }: Pick<Allowed, 'actionId' | 'signal'>,
): Promise<StepResult | null> {
  const { run, current, append } = work;
  const { tenant, principal } = run.started;
  const plane = parts.planes.of(tenant);
  if (plane === null) throw new Error('the runner has no key of the tenant');
  const step = stepOfAgent(loaded, work.run, asked);
  const scope = { parentActionId: actionId, ...(principal === null ? {} : { principal }) };
  const isStreamed = isStreamedAgent(loaded, asked.reference);
  const place = { step: current.step, visit: current.visit, attempt: current.attempt };
  const result = await runAgentStep(step, {
    mandateFor: (agentId) => plane.mandate.with({ ...scope, agentId }),
    models: parts.models,
    tokenWindows: parts.tokenWindows,
    toolServers: parts.toolServers,
    attempts: plane.attempts,
    journal: { append: (event) => append(eventsOfCall(event, place, step.tools)) },
    signal,
    ...(isStreamed && { stream: (text: string) => parts.onText(work, text) }),
  });
  return resultOf(result, step.agentId);
}

function isStreamedAgent({ catalog }: LoadedManifest, reference: string): boolean {
  const entries = catalog.agent.byReference.get(reference) ?? catalog.agentsByName.get(reference) ?? [];
  return entries[0]?.definition.capabilities?.delivery_mode === 'server_sent_events';
}

type Place = { step: string; visit: number; attempt: number };

/** The answers of people about calls are already on the log: they resolve the step, or retry the run. */
function eventsOfCall(
  event: CallEvent,
  place: Place,
  tools: ReturnType<typeof stepOfAgent>['tools'],
): EventDraft[] {
  if (event.event === 'call.resolved' || event.event === 'call.retried') return [];
  if (event.event === 'call.begun') {
    const { agentId, actionId, call } = event;
    // The hints of the server about repeating a tool count only if the manifest states the risk level `safe`.
    const isSafe = call.type === 'model' || tools.some((tool) => isSafeTool(tool, call.tool));
    return [{ event: 'call.begun', ...place, agentId, actionId, call, repeatable: isSafe }];
  }
  const { agentId, actionId, attempt: actionAttempt, answer, outcome } = event;
  const copied = structuredClone({ answer, outcome }) as Pick<
    Extract<EventDraft, { event: 'call.completed' }>,
    'answer' | 'outcome'
  >;
  return [{ event: 'call.completed', ...place, agentId, actionId, actionAttempt, ...copied }];
}

function isSafeTool(tool: ReturnType<typeof stepOfAgent>['tools'][number], name: string): boolean {
  return tool.name === name && tool.kind === 'server' && tool.risk === 'safe';
}

/** Null: another runner performs the step. */
function resultOf(result: AgentStepResult, agentId: string): StepResult | null {
  switch (result.status) {
    case 'completed':
      return { output: result.output };
    case 'failed': {
      const { code, message: reason, kind, retryAfterMs = null } = result;
      const retryable = kind === 'transient' || kind === 'soft block';
      return { failure: { code, reason, retryable, retryAfterMs } };
    }
    case 'deferred':
      return {
        deferred: {
          what: 'calls',
          waiting: result.waiting.map(({ tool: _, ...call }) => ({ ...call, agentId })),
        },
      };
    case 'uncertain': {
      const { actionId, tool } = result;
      return { uncertain: { agentId, actionId, tool } };
    }
    case 'superseded':
      return null;
  }
}
