/** Tests what is saved against every question of the cases whether to save a text. */
import {
  compileSaves,
  type Lengths,
  type SavesDocument,
  stepBudgetOfAction,
  type WriteQuestion,
} from '@mandate/policy/governance';
import { describe, expect, test } from 'vitest';
import { patchedDocument } from './patched-document.ts';
import { stepsOfCases } from './steps-of-cases.ts';

type Write = Omit<WriteQuestion, 'hints' | 'nowMs'> & {
  readonly type: 'memory_write';
  readonly agentId: string;
  readonly hints?: Readonly<Record<string, unknown>> & { readonly ttl?: string };
};
type Answer = { verdict: string; obligations: object; violations: readonly object[] };
type Policy = {
  readonly memory_policies: {
    readonly core_principle?: string;
    readonly read?: { readonly user_isolation?: boolean };
    readonly write: Omit<SavesDocument, 'save_rules' | 'user_isolation'> & {
      readonly save_rules: Record<string, { action: string; ttl?: string; condition?: string }>;
    };
  };
};

const STEPS = stepsOfCases<Write, Answer>('memory_write').filter(({ answer }) => answer.verdict === 'ALLOW');

describe('what is saved', () => {
  test.each(STEPS)('$name', ({ given, at, ask, answer }) => {
    const overlays = given.environment === undefined ? [] : [overlayOf(given.policy, given.environment)];
    const policy = patchedDocument<Policy>(given.policy, ...overlays, given.policyPatch);
    const { ttl, ...hints } = ask.hints ?? {};
    const decided = compileSaves(savesDocument(policy))(
      { ...ask, hints: { ...hints, ...msOf('ttlMs', ttl) }, nowMs: Date.parse(given.now) + at },
      stepBudgetOfAction(),
    );
    expect({ saves: decided?.saves, decidedBy: decided?.decidedBy }).toEqual(answer.obligations);
    expect(new Set(decided?.violations)).toEqual(new Set(answer.violations));
  });

  test('there are cases of both topics', () => {
    expect(STEPS.map(({ topic }) => topic)).toEqual(expect.arrayContaining(['memory-write', 'llm-cannot']));
  });
});

function overlayOf(policy: unknown, environment: string): unknown {
  return patchedDocument(String(policy).replace(/\.yaml$/, `.${environment}.yaml`));
}

function savesDocument({ memory_policies: { core_principle, read, write } }: Policy): SavesDocument {
  const { save_rules, llm_cannot, ...rest } = write;
  const rules = Object.entries(save_rules).map(([name, { ttl, condition, ...fields }]) => [
    name,
    {
      ...fields,
      ...msOf('ttlMs', ttl),
      ...(condition === undefined ? {} : { condition: parsed(condition) }),
    },
  ]);
  const listed = core_principle === undefined && llm_cannot !== undefined ? { llm_cannot } : {};
  return {
    ...rest,
    ...listed,
    save_rules: Object.fromEntries(rules),
    user_isolation: read?.user_isolation ?? true,
  };
}

function msOf(name: 'ttlMs', duration: string | undefined): { ttlMs?: number } {
  if (duration === undefined) return {};
  const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
  return { [name]: Number(duration.slice(0, -1)) * (units[duration.slice(-1)] ?? Number.NaN) };
}

/** The cases ask about the length of the message only. */
function parsed(condition: string): (lengths: Lengths) => boolean {
  const [, operator, figure] = /^message_length (>=?) (\d+)$/.exec(condition) ?? [];
  if (operator === undefined) throw new Error(`no condition: ${condition}`);
  return ({ messageLength }) =>
    operator === '>' ? messageLength > Number(figure) : messageLength >= Number(figure);
}
