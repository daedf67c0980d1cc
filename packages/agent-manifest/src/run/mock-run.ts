/**
 * Plays a manifest without models, tools and people: each step answers what it is told to, otherwise a value that its
 * declared outputs accept. Voters approve, and persons grant. So the way through the workflow, its conditions and its
 * data can be tried before anything is published.
 */
import type { Json, RunEvent, RunEventOf } from '@mandate/schemas';
import type { AgentManifest, Workflow } from '@mandate/schemas/agent-manifest';
import { catalogOf, findDefinition } from '../catalog.ts';
import { sideSchema } from '../side-schema.ts';
import { councilSettings } from './council-settings.ts';
import { playRun } from './play-run.ts';
import type { RunState } from './run-state.ts';
import { sampleOfSchema } from './sample-of-schema.ts';
import { workflowPlan } from './workflow-plan.ts';

/** The output of a step by its key. A list gives one output to each visit, and the last one to all later visits. */
export type MockedOutputs = Readonly<Record<string, Json>>;

/** A mocked run ends after this many visits, also if the manifest states no limit. */
const MOST_VISITS = 1_000;

export function mockRun(
  manifest: AgentManifest,
  workflow: Workflow,
  {
    started,
    outputs = {},
    onEvent,
  }: { started: RunEventOf<'run.started'>; outputs?: MockedOutputs; onEvent?(event: RunEvent): void },
): RunState {
  const catalog = catalogOf(manifest);
  const plan = workflowPlan(manifest, workflow);
  const maxSteps = Math.min(plan.maxSteps ?? MOST_VISITS, MOST_VISITS);
  const sampleOf = (reference: string): Json => {
    const found = findDefinition(catalog, 'agent', reference);
    const declared = found.found === 'ok' ? found.entry.definition.interface?.outputs : undefined;
    if (declared === undefined || Object.keys(declared).length === 0) return `mocked answer of ${reference}`;
    return sampleOfSchema(sideSchema(declared, 'all').schema);
  };
  return playRun({ ...plan, maxSteps }, started, {
    ...(onEvent && { onEvent }),
    perform({ step, visit, inputs }) {
      const told = toldOutput(outputs, step, visit);
      const written = workflow.steps[step];
      if (told !== undefined) return { result: { output: told } };
      if (written?.type === 'agent') return { result: { output: sampleOf(written.agent) } };
      if (written?.type !== 'council') return { result: { output: {} } };
      const [option = 'approve'] = councilSettings(inputs ?? null).options ?? ['approve'];
      const ballots = written.voters.map((voter) => [voter, { vote: option, reason: 'mocked' }]);
      return { result: { ballots: Object.fromEntries(ballots) } };
    },
  });
}

function toldOutput(outputs: MockedOutputs, step: string, visit: number): Json | undefined {
  const told = Object.hasOwn(outputs, step) ? outputs[step] : undefined;
  return Array.isArray(told) ? (told[visit - 1] ?? told.at(-1)) : told;
}
