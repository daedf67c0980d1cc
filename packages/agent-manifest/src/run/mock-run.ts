/**
 * Plays a manifest or a graph recipe without models, tools and people: each step returns the given output, otherwise a
 * value that its declared outputs accept. Voters approve, people approve, and evaluators accept the work. So the path
 * through the workflow, its conditions and its data can be tried before anything is published.
 */
import type { Json, RunEvent, RunEventOf } from '@mandate/schemas';
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { catalogOf, findDefinition } from '../catalog.ts';
import { graphOf } from '../graph/graph.ts';
import { sideSchema } from '../side-schema.ts';
import { councilSettings } from './council-settings.ts';
import { planOfDocument } from './plan-of-document.ts';
import { playRun } from './play-run.ts';
import type { Product } from './run-plan.ts';
import type { CurrentStep, RunState } from './run-state.ts';
import { sampleOfSchema } from './sample-of-schema.ts';
import { workflowOf } from './workflow-plan.ts';

/**
 * The output of each step, by the key of the step. A list has one output for each visit, and the last one is used for
 * all later visits.
 */
export type MockedOutputs = Readonly<Record<string, Json>>;

/** A mocked run ends after this many visits, also if the manifest states no limit. */
const MOST_VISITS = 1_000;

/** @returns null if the manifest does not have the agent of the run */
export function mockRun(
  document: AgentManifest | GraphRecipe,
  {
    started,
    outputs = {},
    onEvent,
  }: { started: RunEventOf<'run.started'>; outputs?: MockedOutputs; onEvent?(event: RunEvent): void },
): RunState | null {
  const plan = planOfDocument(document, started.agent);
  if (plan === null) return null;
  const maxSteps = Math.min(plan.maxSteps ?? MOST_VISITS, MOST_VISITS);
  const mocked = 'topology' in document ? answersOfNodes(document) : answersOfSteps(document, started.agent);
  return playRun({ ...plan, maxSteps }, started, {
    ...(onEvent && { onEvent }),
    perform(current) {
      const told = toldOutput(outputs, current);
      return { result: told === undefined ? mocked(current) : { output: told } };
    },
  });
}

type Mocked = (current: CurrentStep) => Product;

function answersOfSteps(manifest: AgentManifest, agent: string | null): Mocked {
  const catalog = catalogOf(manifest);
  const { steps = {} } = workflowOf(manifest, agent) ?? {};
  const sampleOf = (reference: string): Json => {
    const found = findDefinition(catalog, 'agent', reference);
    const declared = found.found === 'ok' ? found.entry.definition.interface?.outputs : undefined;
    if (declared === undefined || Object.keys(declared).length === 0) return `mocked answer of ${reference}`;
    return sampleOfSchema(sideSchema(declared, 'all').schema);
  };
  return ({ step, inputs }) => {
    const written = steps[step];
    if (written?.type === 'agent') return { output: sampleOf(written.agent) };
    if (written?.type !== 'council') return { output: {} };
    const [option = ''] = councilSettings(inputs ?? null).options;
    const ballots = written.voters.map((voter) => [voter, { vote: option, reason: 'mocked' }]);
    return { ballots: Object.fromEntries(ballots) };
  };
}

/** The declarations of a graph's agents are in other manifests, which are not known here. */
function answersOfNodes(recipe: GraphRecipe): Mocked {
  const { nodes } = graphOf(recipe);
  return ({ step }) => {
    const node = nodes.get(step);
    if (node?.type === 'agent') return { output: `mocked answer of ${node.agent_ref}` };
    if (node?.type === 'evaluator') return { output: { score: 1, feedback: 'mocked' } };
    return { output: { approved: true } };
  };
}

function toldOutput(outputs: MockedOutputs, { step, visit }: CurrentStep): Json | undefined {
  const told = Object.hasOwn(outputs, step) ? outputs[step] : undefined;
  return Array.isArray(told) ? (told[visit - 1] ?? told.at(-1)) : told;
}
