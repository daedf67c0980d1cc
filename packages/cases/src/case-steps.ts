/**
 * The steps of a case, ready to be played: who does what, and when. Missing values are filled in, and impossible
 * values are reported.
 */
import type { SayFault } from '@mandate/policy/documents';
import {
  type Action,
  type CaseDocument,
  DEFAULTS,
  type Expectation,
  type KillTarget,
  type Outcome,
  type StepDocument,
} from '@mandate/schemas';

type Deed =
  | { does: 'ask'; actions: readonly Action[] }
  /** `of` is the action that the outcome belongs to. Null if the case contains no request for this action. */
  | { does: 'report'; outcome: Outcome; of: Action | null }
  | { does: 'approve' | 'deny'; action: Action; forMs: number }
  | { does: 'kill' | 'revive'; target: KillTarget };

export type PlayedStep = Deed & {
  /** The path of the step in the document of the case. */
  path: readonly PropertyKey[];
  atMs: number;
  expect: Expectation;
};

/** How long a grant is valid. The gateway uses the same duration if the request states none. */
const GRANT_MS = 5 * 60_000;

const { tenant } = DEFAULTS;

/**
 * @param startMs when the case begins
 * @param path the path of the case in its document
 */
export function stepsOf(
  { agent, principal, steps }: CaseDocument,
  startMs: number,
  path: readonly PropertyKey[],
  sayAt: SayFault,
): readonly PlayedStep[] {
  const asked: Action[] = [];
  let atMs = startMs;
  return steps.flatMap((step, index) => {
    const here = [...path, 'steps', index];
    const say: Say = (field, message) => sayAt([...here, field], message);
    const givenMs = timeOf(step.at, startMs) ?? atMs;
    if (givenMs < atMs) say('at', 'is before the step above it');
    atMs = Math.max(atMs, givenMs);
    const deed = deedOf(step, { index, agent, principal, asked, say });
    if (deed === null) return [];
    if (deed.does === 'ask') asked.push(...deed.actions);
    return [{ ...deed, path: here, atMs, expect: expectationOf(step.expect) }];
  });
}

type Say = (field: string, message: string) => void;
type Around = {
  index: number;
  agent: string | undefined;
  principal: CaseDocument['principal'];
  /** The actions that earlier steps of the case requested. */
  asked: readonly Action[];
  say: Say;
};

function deedOf(step: StepDocument, around: Around): Deed | null {
  const { ask, times, report, forMs = GRANT_MS } = step;
  const { index, principal, asked, say } = around;
  if (ask !== undefined) {
    const agentId = agentOf('ask', ask.agentId, around);
    const type = ask.type ?? 'tool_call';
    const person = principal === undefined ? {} : { principal };
    const action = { id: `step-${index + 1}`, ...person, ...ask, type, tenant, agentId } as Action;
    return { does: 'ask', actions: repeated(action, times) };
  }
  if (report !== undefined) return reportOf(report, around);
  for (const does of ['approve', 'deny'] as const) {
    if (step[does] === undefined) continue;
    const action = asked.findLast(({ id }) => id === step[does]);
    if (action !== undefined) return { does, action, forMs };
    say(does, 'is the id of no action that a step above it asks for');
  }
  for (const does of ['kill', 'revive'] as const) {
    const { [does]: target } = step;
    if (target === undefined) continue;
    const { scope } = target;
    if (scope === 'all') return { does, target: { scope } };
    if (scope === 'tenant') return { does, target: { scope, tenant } };
    return { does, target: { scope, tenant, agentId: agentOf(does, target.agentId, around) } };
  }
  return null;
}

function reportOf(report: NonNullable<StepDocument['report']>, around: Around): Deed {
  const { asked, say } = around;
  const { actionId } = report;
  const of = actionId === undefined ? asked.at(-1) : asked.findLast(({ id }) => id === actionId);
  if (of === undefined && actionId === undefined)
    say('report', 'says no actionId, and no step above it asks for an action');
  const outcome: Outcome = {
    ...(of?.attempt !== undefined && { attempt: of.attempt }),
    ...report,
    status: report.status ?? 'success',
    tenant,
    actionId: actionId ?? of?.id ?? '',
    agentId: agentOf('report', report.agentId ?? of?.agentId, around),
  };
  return { does: 'report', outcome, of: of ?? null };
}

function agentOf(field: string, named: string | undefined, { agent, say }: Around): string {
  if (named === undefined && agent === undefined)
    say(field, 'says no agentId, and neither does the case (agent)');
  return named ?? agent ?? '';
}

function timeOf(at: StepDocument['at'], startMs: number): number | undefined {
  return typeof at === 'number' ? startMs + at : at === undefined ? undefined : Date.parse(at);
}

function repeated(action: Action, times: number | undefined): readonly Action[] {
  if (times === undefined) return [action];
  return Array.from({ length: times }, (_, at) => ({ ...action, id: `${action.id}-${at + 1}` }));
}

/** Reads the expected result of a step. The words ALLOW, BLOCK and DEFER are verdicts. Any other word is a code. */
function expectationOf(expect: StepDocument['expect'] = {}): Expectation {
  if (typeof expect !== 'string') return expect;
  if (expect === 'ALLOW' || expect === 'BLOCK' || expect === 'DEFER') return { verdict: expect };
  return { code: expect };
}
