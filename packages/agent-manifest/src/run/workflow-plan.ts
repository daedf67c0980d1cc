/** The plan of a run that follows the workflow of a manifest. */
import type { Json } from '@mandate/schemas';
import type { AgentManifest, Step, Workflow } from '@mandate/schemas/agent-manifest';
import { agentSteps } from '../agent-steps.ts';
import { chooseCase } from '../conditions/choose-case.ts';
import { fillTemplate } from '../conditions/fill-template.ts';
import { countVotes } from '../council.ts';
import { type SideSchema, sideSchema, withDefaults } from '../side-schema.ts';
import { councilFault, councilSettings } from './council-settings.ts';
import { checkOutput, isObject, outputsOf, withinSize } from './run-data.ts';
import type { Product, RunPlan, StepFailure } from './run-plan.ts';
import type { RunState } from './run-state.ts';

const DEFAULT_RETRIES = 3;

/**
 * Returns the workflow that a run follows. A manifest without a workflow has one step, its agent.
 *
 * @param agent the key of the agent, if the manifest has no workflow
 */
export function workflowOf(manifest: AgentManifest, agent: string | null): Workflow | null {
  if (agent === null) return manifest.workflow ?? null;
  const found = agentSteps(manifest).find(({ key }) => key === agent);
  return found === undefined ? null : { start: found.key, steps: { [found.key]: found.step } };
}

export function workflowPlan(manifest: AgentManifest, workflow: Workflow): RunPlan {
  const { policy = {}, state, interface: sides = {} } = manifest;
  const states = sideSchema(state?.schema ?? {}, 'none');
  const inputs = sides.inputs === undefined ? null : sideSchema(sides.inputs, 'inputs');
  const outputs = sides.outputs === undefined ? null : sideSchema(sides.outputs, 'all');
  const schemas = { state: states.schema, ...(inputs === null ? {} : { inputs: inputs.schema }) };
  const stepOf = (step: string): Step => {
    const found = Object.hasOwn(workflow.steps, step) ? workflow.steps[step] : undefined;
    if (found === undefined) throw new Error(`the workflow has no step ${step}`);
    return found;
  };
  return {
    start: workflow.start,
    attempts: 1 + (policy.max_retries ?? DEFAULT_RETRIES),
    maxSteps: policy.max_steps ?? null,
    timeoutMs: policy.timeout === undefined ? null : policy.timeout * 1_000,
    kindOf: (step) => stepOf(step).type,
    inputsOf(run, step) {
      const { type, inputs: written } = stepOf(step);
      if (type === 'switch') return { inputs: undefined };
      if (written === undefined) return { inputs: { inputs: run.started.inputs, previous: run.previous } };
      const filled = fillTemplate(written, variablesOf(run), schemas);
      if (!filled.ok) return { failed: 'EXPRESSION_FAILED', reason: filled.message };
      const fault = type === 'council' ? councilFault(filled.value) : null;
      if (fault !== null)
        return { failed: 'COUNCIL_INVALID', reason: `The inputs of the council are wrong: ${fault}.` };
      return withinSize(filled.value, 'INPUT_TOO_LARGE') ?? { inputs: filled.value };
    },
    choose(run, step) {
      const written = stepOf(step);
      if (written.type !== 'switch') throw new Error(`${step} is no switch`);
      const chosen = chooseCase({
        cases: written.cases,
        default: written.default,
        variables: variablesOf(run),
        schemas,
      });
      return 'next' in chosen ? { next: chosen.next } : { failed: chosen.failed, reason: chosen.message };
    },
    finish(run, step, product) {
      const written = stepOf(step);
      const next = written.type === 'switch' ? null : (written.next ?? null);
      const output = 'output' in product ? { output: product.output } : votesOf(run, written, product);
      if ('failed' in output) return output;
      return (
        checkOutput(output.output, membersIn(output.output, states), states) ?? {
          output: output.output,
          next,
        }
      );
    },
    absorb: (_step, output) => membersIn(output, states),
    answerMsOf: () => null,
    outputsOf: (run) => outputsOf(run, outputs, (name) => run.state.get(name)),
  };
}

/** Checks the inputs of a run before anything is on the log, and fills in defaults. */
export function inputsOfRun(
  { interface: sides = {} }: Pick<AgentManifest, 'interface'>,
  given: Json,
): { inputs: Json } | StepFailure {
  const tooLarge = withinSize(given, 'INPUT_INVALID');
  if (tooLarge !== null) return tooLarge;
  if (!isObject(given)) return { failed: 'INPUT_INVALID', reason: 'The inputs must be a JSON object.' };
  if (sides.inputs === undefined) return { inputs: given };
  const schema = sideSchema(sides.inputs, 'inputs');
  const inputs = withDefaults(schema, given);
  const fault = schema.faultOf(inputs);
  return fault === null ? { inputs } : { failed: 'INPUT_INVALID', reason: `The inputs are wrong: ${fault}.` };
}

function variablesOf(run: RunState): Readonly<Record<string, Json>> {
  const steps = Object.fromEntries(
    [...run.steps].map(([step, { visits, output }]) => [
      step,
      output === undefined ? { visits } : { visits, output },
    ]),
  );
  return {
    inputs: run.started.inputs,
    state: Object.fromEntries(run.state),
    steps,
    run: { id: run.started.runId },
  };
}

function* membersIn(output: Json, { members }: SideSchema): Iterable<readonly [string, Json]> {
  if (!isObject(output)) return;
  for (const name of Object.keys(members)) {
    const value = Object.hasOwn(output, name) ? output[name] : undefined;
    if (value !== undefined) yield [name, value];
  }
}

function votesOf(
  run: RunState,
  step: Step,
  product: Extract<Product, { ballots: unknown }>,
): { output: Json } | StepFailure {
  if (step.type !== 'council') throw new Error('only a council has ballots');
  const settings = councilSettings(run.current?.inputs ?? null);
  const counted = countVotes({
    voters: step.voters,
    strategy: step.strategy ?? 'consensus',
    ballots: product.ballots,
    ...settings,
  });
  const { decision, decided, counts, abstained, reason } = counted;
  if (decision === null) {
    const why = `The voters did not decide: ${reason}. Give "undecided" in the inputs of the step to go on anyway.`;
    return { failed: 'COUNCIL_UNDECIDED', reason: why };
  }
  return { output: { decision, decided, counts: { ...counts }, abstained: [...abstained] } };
}
