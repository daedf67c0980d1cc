/**
 * Finds what a new, changed or removed rule newly allows, as lines of text (like widening.ts for policies). Two
 * things are reported: agents that the rule no longer matches have fewer limits, and agents that the rule newly
 * matches may have been refused because no rule matched them. Other documents are not examined, so another rule may
 * still forbid what is reported here. A change that is not reported is certainly not wider. Refusals because rules
 * exceeded the step budget are not examined.
 */
import type { PolicyDocument, RuleDocument } from '@mandate/schemas';
import { covers, type Reach, reachOf } from './covering-rules.ts';
import { isAlive } from './rules-read.ts';
import { widening } from './widening.ts';

/**
 * Returns the policy of a rule. Null if the policy does not exist, because the rule then blocks. Undefined if it is
 * unknown whether the policy exists.
 */
export type PolicyOf = (rule: RuleDocument) => PolicyDocument | null | undefined;

type WideningContext = { atMs: number; was: PolicyOf; is: PolicyOf };

/**
 * @param before null: the rule is new
 * @param after null: the rule is removed
 * @param context `was` and `is`: the policies before and after; absent if they are unknown
 */
export function ruleWidening(
  before: RuleDocument | null,
  after: RuleDocument | null,
  { atMs, was = notKnown, is = notKnown }: Pick<WideningContext, 'atMs'> & Partial<WideningContext>,
): readonly string[] {
  const held = before !== null && isAlive(before, atMs);
  const holds = after !== null && isAlive(after, atMs);
  if (!holds) return held ? [goes(before, after)] : [];
  if (!held) return is(after) === null ? [] : [comes(before, after)];
  return [
    ...(before.mode === 'enforce' && after.mode === 'observe'
      ? ['mode: enforce → observe: its policy is no longer enforced']
      : []),
    ...otherPolicy(before, after, was(before), is(after)),
    ...otherReach(reachOf(before), reachOf(after)),
    ...otherTime('startsAt', before.startsAt, after.startsAt),
    ...otherTime('endsAt', before.endsAt, after.endsAt),
  ];
}

const notKnown: PolicyOf = () => undefined;

function goes(before: RuleDocument, after: RuleDocument | null): string {
  const what =
    after === null
      ? 'it is removed'
      : after.mode === 'shadow'
        ? `mode: ${before.mode} → shadow`
        : 'it has ended';
  return `${what}: it no longer limits any agent`;
}

function comes(before: RuleDocument | null, { mode }: RuleDocument): string {
  const what =
    before === null ? 'it is new' : before.mode === 'shadow' ? `mode: shadow → ${mode}` : 'it had ended';
  return `${what}: it gives its policy to agents that no other rule matches`;
}

function otherPolicy(
  before: RuleDocument,
  after: RuleDocument,
  was: PolicyDocument | null | undefined,
  is: PolicyDocument | null | undefined,
): readonly string[] {
  if (before.policy === after.policy || is === null) return [];
  const change = `policy: ${before.policy} → ${after.policy}`;
  if (was === null) return [`${change}: the rule blocked, because its policy did not exist`];
  if (was?.id === undefined || was.id !== is?.id) return [`${change}: another, which may let more through`];
  return widening(was, is).map((line) => `${change}: ${line}`);
}

const OF_REACH = { agents: 'agents', groups: 'groups', conditions: 'when' } as const;

function otherReach(before: Reach, after: Reach): string[] {
  return Object.entries(OF_REACH).flatMap(([part, name]) => {
    const changed = { ...before, [part]: after[part as keyof typeof OF_REACH] };
    const [isFewer, isMore] = [!covers(changed, before), !covers(before, changed)];
    if (isFewer && isMore) return [`${name}: its policy applies to other agents or actions`];
    if (isFewer) return [`${name}: its policy limits fewer agents or actions`];
    return isMore ? [`${name}: more agents or actions get its policy`] : [];
  });
}

function otherTime(name: string, before: string | undefined, after: string | undefined): string[] {
  const [was, is] = [before, after].map((time) => (time === undefined ? null : Date.parse(time)));
  return was === is ? [] : [`${name}: ${before ?? 'none'} → ${after ?? 'none'}`];
}
