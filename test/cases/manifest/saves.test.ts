/** Tests what is saved against every question of the cases whether to save a text. */
import {
  compileSaves,
  type Lengths,
  type SavesDocument,
  stepBudgetOfAction,
  type WriteQuestion,
} from '@mandate/policy/governance';
import { lengthConditionHolds, readDuration, readLengthCondition } from '@mandate/schemas/manifest';
import { describe, expect, test } from 'vitest';
import { patchedDocument } from './patched-document.ts';
import { stepsOfCases } from './steps-of-cases.ts';

type Write = Omit<WriteQuestion, 'hints'> & {
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
      { ...ask, hints: { ...hints, ...ttlMsOf(ttl) } },
      stepBudgetOfAction(),
    );
    const expiresAt = (ttlMs: number | null) =>
      ttlMs === null ? null : new Date(Date.parse(given.now) + at + ttlMs).toISOString();
    const saves = decided?.saves.map((save) => ({ ...save, expiresAt: expiresAt(save.ttlMs) }));
    expect({ saves, decidedBy: decided?.decidedBy }).toEqual(answer.obligations);
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
      ...ttlMsOf(ttl),
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

function ttlMsOf(duration: string | undefined): { ttlMs?: number } {
  if (duration === undefined) return {};
  const read = readDuration(duration);
  if (!read.ok) throw new Error(read.message);
  return { ttlMs: read.ms };
}

function parsed(text: string): (lengths: Lengths) => boolean {
  const read = readLengthCondition(text);
  if (!read.ok) throw new Error(read.message);
  return ({ messageLength, responseLength }) =>
    lengthConditionHolds(read.condition, { message_length: messageLength, response_length: responseLength });
}
