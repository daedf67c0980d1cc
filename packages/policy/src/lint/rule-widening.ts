/**
 * What a rule that is changed, or removed, lets through that it did not: in words, as of a policy (widening.ts). Whom it holds
 * no longer is held to less, and whom it holds only now may have been refused for want of any rule: so either is told. It looks
 * at one document: what it names other rules may forbid all the same, what it does not name is not wider.
 */
import type { RuleDocument } from '@mandate/schemas';
import { covers, type Reach, reachOf } from './covering-rules.ts';

/** @param after null: it is removed */
export function ruleWidening(before: RuleDocument, after: RuleDocument | null): readonly string[] {
  const wasShadow = before.mode === 'shadow';
  if (after === null) return wasShadow ? [] : ['it is removed'];
  if (after.mode === 'shadow')
    return wasShadow ? [] : [`mode: ${before.mode} → shadow: it no longer holds anybody`];
  if (wasShadow) return [`mode: shadow → ${after.mode}: it gives its policy to whom no other rule holds`];
  return [
    ...(before.mode === 'enforce' && after.mode === 'observe'
      ? ['mode: enforce → observe: its policy only watches']
      : []),
    ...another('policy', before.policy, after.policy),
    ...otherReach(reachOf(before), reachOf(after)),
    ...otherTime('startsAt', before.startsAt, after.startsAt),
    ...otherTime('endsAt', before.endsAt, after.endsAt),
  ];
}

function another(name: string, before: string, after: string): string[] {
  return before === after ? [] : [`${name}: ${before} → ${after}`];
}

const OF_REACH = { agents: 'agents', groups: 'groups', conditions: 'when' } as const;

function otherReach(before: Reach, after: Reach): string[] {
  return Object.entries(OF_REACH).flatMap(([part, name]) => {
    const changed = { ...before, [part]: after[part as keyof typeof OF_REACH] };
    const [isFewer, isMore] = [!covers(changed, before), !covers(before, changed)];
    if (!isFewer && !isMore) return [];
    return [`${name}: ${isFewer && isMore ? 'others' : isFewer ? 'fewer' : 'more'} are held`];
  });
}

function otherTime(name: string, before: string | undefined, after: string | undefined): string[] {
  const [was, is] = [before, after].map((time) => (time === undefined ? null : Date.parse(time)));
  return was === is ? [] : another(name, before ?? 'none', after ?? 'none');
}
