/** What a step of each kind does: an agent, a council of agents, a piece of Python, a person. */
import { createHash } from 'node:crypto';
import { councilSettings, type EventDraft, type StepResult, workflowOf } from '@mandate/agent-manifest';
import { type Clock, MandateError } from '@mandate/runtime';
import type { Json } from '@mandate/schemas';
import type { CouncilStep, Step } from '@mandate/schemas/agent-manifest';
import type { CallEvent } from '../agent-step/call-event.ts';
import type { AgentStepResult } from '../agent-step/port.ts';
import { runAgentStep } from '../agent-step/run-agent-step.ts';
import type { DeclaredOutputs } from '../agent-step/step.ts';
import { type LogicOptions, runLogic } from '../logic/run-logic.ts';
import type { LoadedManifest, Manifests } from '../manifests/plans.ts';
import type { ModelClients } from '../models/model-clients.ts';
import type { TokenWindows } from '../models/token-windows.ts';
import type { Planes } from '../plane/planes.ts';
import type { ToolServers } from '../tools/tool-servers.ts';
import { argsOf, type StepKinds, type StepWork } from './perform-step.ts';
import { type AskedAgent, stepOfAgent } from './step-of-agent.ts';

export type StepParts = {
  planes: Planes;
  manifests: Pick<Manifests, 'ofRun'>;
  models: ModelClients;
  toolServers: ToolServers;
  tokenWindows: TokenWindows;
  /** Null: logic steps are off. */
  logic: LogicOptions | null;
  /** Gets the text of an agent while it arrives. */
  onText(work: StepWork, text: string): void;
  clock: Clock;
};

type Allowed = { actionId: string; signal: AbortSignal };

export function stepKinds(parts: StepParts): StepKinds {
  const inputsAsArgs = async ({ current }: StepWork) => argsOf(current.inputs);
  return {
    agent: {
      args: inputsAsArgs,
      async do(work, allowed) {
        const loaded = await loadedOf(parts, work);
        const step = stepOf(loaded, work);
        if (step.type !== 'agent') throw new Error('the step is no agent');
        const asked = {
          ...{ reference: step.agent, actionId: allowed.actionId, inputs: work.current.inputs ?? null },
          systemPrompt: step.system_prompt,
          temporarySkills: step.temporary_skills,
        };
        return askAgent(parts, loaded, asked, work, allowed);
      },
    },
    council: {
      args: inputsAsArgs,
      async do(work, allowed) {
        const loaded = await loadedOf(parts, work);
        const step = stepOf(loaded, work);
        if (step.type !== 'council') throw new Error('the step is no council');
        return council(parts, loaded, step, work, allowed);
      },
    },
    logic: {
      // The person who confirms the step sees the hash of the code.
      async args(work) {
        const code = codeOf(await loadedOf(parts, work), work) ?? '';
        return { ...argsOf(work.current.inputs), codeHash: createHash('sha256').update(code).digest('hex') };
      },
      async do(work, { signal }) {
        if (parts.logic === null) return failed('LOGIC_OFF', 'This runner does not run code of manifests.');
        const loaded = await loadedOf(parts, work);
        const code = codeOf(loaded, work);
        if (code === null) return failed('CODE_MISSING', 'The manifest was published without this file.');
        const { state, steps } = work.run;
        const ran = await runLogic(
          {
            code,
            inputs: work.current.inputs ?? null,
            state: Object.fromEntries(state),
            steps: Object.fromEntries(steps),
          },
          { ...parts.logic, signal },
        );
        return ran.ok ? { output: ran.output } : failed(ran.code, ran.message);
      },
    },
    human: {
      args: inputsAsArgs,
      do: async () => ({ output: { approved: true } }),
    },
  };
}

async function loadedOf({ manifests }: StepParts, { run }: StepWork): Promise<LoadedManifest> {
  const loaded = await manifests.ofRun(run.started);
  if (loaded !== null) return loaded;
  throw new MandateError('MANIFEST_UNKNOWN', 'the manifest of the run is not known', {
    retryable: true,
    remedy: 'The runner tries again.',
  });
}

function stepOf({ manifest }: LoadedManifest, { run, current }: StepWork): Step {
  const step = workflowOf(manifest, run.started.agent)?.steps[current.step];
  if (step === undefined) throw new Error(`the workflow has no step ${current.step}`);
  return step;
}

async function askAgent(
  parts: StepParts,
  loaded: LoadedManifest,
  asked: AskedAgent,
  work: StepWork,
  { actionId, signal }: Allowed,
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

/** What persons say about calls is on the log already: they resolve the step, or retry the run. */
function eventsOfCall(
  event: CallEvent,
  place: Place,
  tools: ReturnType<typeof stepOfAgent>['tools'],
): EventDraft[] {
  if (event.event === 'call.resolved' || event.event === 'call.retried') return [];
  if (event.event === 'call.begun') {
    const { agentId, actionId, call } = event;
    // Only the owner's word `safe` makes it worth asking the server whether a tool may be called again.
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
          waiting: result.waiting.map(({ approvalId, actionId }) => ({ approvalId, agentId, actionId })),
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

/** All voters are asked the same at once. A voter that fails, or is blocked, abstains. */
async function council(
  parts: StepParts,
  loaded: LoadedManifest,
  step: CouncilStep,
  work: StepWork,
  allowed: Allowed,
): Promise<StepResult | null> {
  const inputs = work.current.inputs ?? null;
  const outputs = ballotOf(councilSettings(inputs).options ?? ['approve', 'reject']);
  const asked = await Promise.all(
    step.voters.map(async (reference) => {
      const question = { reference, actionId: allowed.actionId, inputs, outputs };
      return [reference, await askAgent(parts, loaded, question, work, allowed)] as const;
    }),
  );
  const waiting = asked.flatMap(([, result]) =>
    result !== null && 'deferred' in result ? result.deferred.waiting : [],
  );
  const uncertain = asked.map(([, result]) => result).find((one) => one !== null && 'uncertain' in one);
  if (asked.some(([, result]) => result === null)) return null;
  if (uncertain !== undefined) return uncertain;
  if (waiting.length > 0) return { deferred: { what: 'calls', waiting } };
  const ballots = asked.flatMap(([voter, result]): [string, Json][] =>
    result !== null && 'output' in result ? [[voter, result.output]] : [],
  );
  return { ballots: Object.fromEntries(ballots) };
}

function ballotOf(options: readonly string[]): DeclaredOutputs {
  const schema = {
    type: 'object',
    properties: { vote: { type: 'string', enum: [...options] }, reason: { type: 'string' } },
    required: ['vote'],
  };
  // Another vote is an abstention, not a fault of the voter's form.
  return { schema, faultOf: () => null };
}

function codeOf(loaded: LoadedManifest, work: StepWork): string | null {
  const step = stepOf(loaded, work);
  if (step.type !== 'logic') throw new Error('the step is no logic');
  const isFile = /^\S+\.py$/.test(step.code);
  return isFile ? (loaded.files[step.code] ?? null) : step.code;
}

function failed(code: string, reason: string): StepResult {
  return { failure: { code, reason, retryable: false, retryAfterMs: null } };
}
