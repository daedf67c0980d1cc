/** Compares the steps of two manifests, with the defaults filled in. */
import type { Step, Workflow } from '@mandate/schemas/agent-manifest';
import { type Catalog, findDefinition } from '../catalog.ts';
import { agentWidens } from './agents-given.ts';
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
import { identityOf, referencesOf } from './identity.ts';

const FEATURE: FieldRule = { category: 'FEATURE' };
const GOVERNANCE: FieldRule = { category: 'GOVERNANCE' };

export function workflowChanged(
  was: Workflow | undefined,
  is: Workflow | undefined,
  compared: Compared,
): Change[] {
  const [before, after] = [was?.steps ?? {}, is?.steps ?? {}];
  const steps = keysOf(before, after).flatMap((key) => {
    const path = `workflow.steps.${key}`;
    const [old, now] = [stepAt(before, key), stepAt(after, key)];
    if (old !== undefined && now !== undefined) return stepChanged(path, old, now, compared);
    const category = old === undefined ? 'FEATURE' : 'BREAKING';
    return [changeAt(path, old, now, { category, widens: null })];
  });
  return [...fieldsChanged('workflow', was, is, { start: GOVERNANCE }), ...steps];
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

/** Inputs of a council that decide how votes are counted. The other inputs of a step are what it is asked. */
const COUNCIL_INPUTS: FieldRules = { options: GOVERNANCE, weights: GOVERNANCE, undecided: GOVERNANCE };

function stepChanged(path: string, was: Step, is: Step, compared: Compared): Change[] {
  const isCouncil = was.type === 'council' || is.type === 'council';
  const { catalog: before } = compared.was;
  const { catalog: after } = compared.is;
  return [
    ...fieldsChanged(path, was, is, STEP_FIELDS),
    ...agentOfStepChanged(`${path}.agent`, was, is, compared),
    ...setChanged(
      `${path}.temporary_skills`,
      referencesOf(before, 'skill', was.type === 'agent' ? was.temporary_skills : []),
      referencesOf(after, 'skill', is.type === 'agent' ? is.temporary_skills : []),
      FEATURE,
    ),
    ...setChanged(
      `${path}.voters`,
      referencesOf(before, 'agent', was.type === 'council' ? was.voters : []),
      referencesOf(after, 'agent', is.type === 'council' ? is.voters : []),
      GOVERNANCE,
    ),
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

/** Two texts that mean one agent are no change. One text that means another agent now is a change. */
function agentOfStepChanged(path: string, was: Step, is: Step, compared: Compared): Change[] {
  const before = was.type === 'agent' ? was.agent : undefined;
  const after = is.type === 'agent' ? is.agent : undefined;
  const [old, now] = [agentMeant(compared.was.catalog, before), agentMeant(compared.is.catalog, after)];
  if (old === now) return [];
  const widens = after !== undefined && agentWidens(compared.was, before, compared.is, after) ? true : null;
  return [changeAt(path, before, after, { category: 'GOVERNANCE', widens })];
}

/** The identity of the agent. A model has its name after a blank, so that no definition has the same identity. */
function agentMeant(catalog: Catalog, reference: string | undefined): string | undefined {
  if (reference === undefined) return undefined;
  const read = findDefinition(catalog, 'agent', reference);
  return read.found === 'ok' ? identityOf(read.entry) : `model ${reference}`;
}

type Cases = Readonly<Record<string, string>>;

function casesOf(step: Step): Cases {
  return step.type === 'switch' ? step.cases : {};
}

/** The first condition that is true decides. So the order of the conditions that stay is a change too. */
function casesChanged(path: string, was: Cases, is: Cases): Change[] {
  const stayed = (one: Cases, other: Cases) => Object.keys(one).filter((key) => Object.hasOwn(other, key));
  const [before, after] = [stayed(was, is), stayed(is, was)];
  const reordered = before.some((condition, at) => after[at] !== condition);
  return [
    ...fieldChanged(path, was, is, GOVERNANCE),
    ...(reordered ? [changeAt(path, was, is, { category: 'GOVERNANCE', widens: null })] : []),
  ];
}
