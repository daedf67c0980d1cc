/** Compares the steps of two manifests, with the defaults filled in. */
import type { Step, Workflow } from '@mandate/schemas/agent-manifest';
import { type Agents, agentWidens } from './agents-given.ts';
import { type Change, changeAt } from './change.ts';
import type { Compared } from './definitions.ts';
import {
  type FieldRule,
  type FieldRules,
  fieldChanged,
  fieldsChanged,
  keysOf,
  setChanged,
} from './fields.ts';
import { agentMeant, referencesOf } from './identity.ts';

const FEATURE: FieldRule = { category: 'FEATURE' };
const GOVERNANCE: FieldRule = { category: 'GOVERNANCE' };

export function workflowChanged(
  was: Workflow | undefined,
  is: Workflow | undefined,
  compared: Compared,
): Change[] {
  const [before, after] = [was?.steps ?? {}, is?.steps ?? {}];
  const widens = comparison(compared);
  const steps = keysOf(before, after).flatMap((key) => {
    const path = `workflow.steps.${key}`;
    const [old, now] = [stepAt(before, key), stepAt(after, key)];
    if (old !== undefined && now !== undefined) return stepChanged(path, old, now, compared, widens);
    const category = old === undefined ? 'FEATURE' : 'BREAKING';
    return [changeAt(path, old, now, { category, widens: now && asksMore(now, compared) ? true : null })];
  });
  return [...fieldsChanged('workflow', was, is, { start: GOVERNANCE }), ...steps];
}

/** True if a new step calls an agent with a tool that the workflow could not reach before. */
function asksMore(step: Step, { is, isBeyond }: Compared): boolean {
  const agent = agentOf(step, is);
  return (agent !== undefined && isBeyond(agent)) || [...votersOf(step, is).values()].some(isBeyond);
}

function stepAt(steps: Readonly<Record<string, Step>>, key: string): Step | undefined {
  return Object.hasOwn(steps, key) ? steps[key] : undefined;
}

const STEP_FIELDS: FieldRules = {
  type: GOVERNANCE,
  next: GOVERNANCE,
  default: GOVERNANCE,
  code: GOVERNANCE,
  strategy: GOVERNANCE,
  system_prompt: FEATURE,
};

/**
 * Inputs of a council that decide how votes are counted. The other inputs of a step are the question for its agents.
 */
const COUNCIL_INPUTS: FieldRules = { options: GOVERNANCE, weights: GOVERNANCE, undecided: GOVERNANCE };

function stepChanged(path: string, was: Step, is: Step, compared: Compared, widens: Widens): Change[] {
  const isCouncil = was.type === 'council' || is.type === 'council';
  const { catalog: before } = compared.was;
  const { catalog: after } = compared.is;
  return [
    ...fieldsChanged(path, was, is, STEP_FIELDS),
    ...agentOfStepChanged(`${path}.agent`, was, is, compared, widens),
    ...setChanged(
      `${path}.temporary_skills`,
      referencesOf(before, 'skill', was.type === 'agent' ? was.temporary_skills : []),
      referencesOf(after, 'skill', is.type === 'agent' ? is.temporary_skills : []),
      FEATURE,
    ),
    ...setChanged(`${path}.voters`, votersOf(was, compared.was), votersOf(is, compared.is), {
      category: 'GOVERNANCE',
      widens: (_old, now) => (typeof now === 'string' && compared.isBeyond(now) ? true : null),
    }),
    ...casesChanged(`${path}.cases`, casesOf(was), casesOf(is)),
    ...keysOf(was.inputs, is.inputs).flatMap((name) =>
      fieldChanged(
        `${path}.inputs.${name}`,
        was.inputs?.[name],
        is.inputs?.[name],
        isCouncil && Object.hasOwn(COUNCIL_INPUTS, name) ? GOVERNANCE : FEATURE,
      ),
    ),
  ];
}

/** Two texts for the same agent are not a change. One text that now means another agent is a change. */
function agentOfStepChanged(path: string, was: Step, is: Step, compared: Compared, widens: Widens): Change[] {
  const [old, now] = [agentOf(was, compared.was), agentOf(is, compared.is)];
  if (old === now) return [];
  const isWider = now !== undefined && widens(old, now) ? true : null;
  return [changeAt(path, old, now, { category: 'GOVERNANCE', widens: isWider })];
}

/** The identity of the agent, or of the model, that an agent step calls. */
function agentOf(step: Step, { catalog }: Agents): string | undefined {
  return step.type === 'agent' ? agentMeant(catalog, step.agent) : undefined;
}

function votersOf(step: Step, { catalog }: Agents): ReadonlyMap<string, string> {
  return referencesOf(catalog, 'agent', step.type === 'council' ? step.voters : []);
}

/** True if the second agent may do more than the first. */
type Widens = (before: string | undefined, after: string) => boolean;

/** Many steps may name the same two agents. The comparison of two agents is made once. */
function comparison({ was, is }: Compared): Widens {
  const known = new Map<string, boolean>();
  return (before, after) => {
    const pair = JSON.stringify([before, after]);
    const widens = known.get(pair) ?? agentWidens(was, before, is, after);
    known.set(pair, widens);
    return widens;
  };
}

type Cases = Readonly<Record<string, string>>;

function casesOf(step: Step): Cases {
  return step.type === 'switch' ? step.cases : {};
}

/** The first condition that is true decides. So another order of the remaining conditions is a change too. */
function casesChanged(path: string, was: Cases, is: Cases): Change[] {
  const stayed = (one: Cases, other: Cases) => Object.keys(one).filter((key) => Object.hasOwn(other, key));
  const [before, after] = [stayed(was, is), stayed(is, was)];
  const reordered = before.some((condition, at) => after[at] !== condition);
  return [
    ...fieldChanged(path, was, is, GOVERNANCE),
    ...(reordered ? [changeAt(path, was, is, { category: 'GOVERNANCE', widens: null })] : []),
  ];
}
