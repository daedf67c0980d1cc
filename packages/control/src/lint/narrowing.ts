/** Finds what a changed policy takes away, as lines of text for the person who is about to publish it. */
import type { PolicyDocument } from '@mandate/schemas';
import { widening } from './widening.ts';

/**
 * Compares a policy version with the version before it. Empty if the new version takes nothing away. The lines are
 * those of `widening` with the two documents exchanged, told from the old document to the new one.
 */
export function narrowing(before: PolicyDocument, after: PolicyDocument): readonly string[] {
  return widening(after, before).map(reversed);
}

/** What `widening` says, and what the opposite change is called. The first pattern that fits counts. */
const REVERSED: readonly (readonly [RegExp, string])[] = [
  [/^it only observes$/, 'it is enforced, and not only observed'],
  [/: no estimate is required any more$/, ': an estimate is required'],
  [/: no person is asked any more$/, ': a person is asked'],
  [/: a call may be sent twice$/, ': a call may not be sent twice any more'],
  [/: everybody may use it$/, ': only some roles may use it'],
  [/: (.*) added$/, ': $1 removed'],
  [/: another, which may let more through$/, ': another, which may let less through'],
  [/: any name is accepted, and not only declared tools$/, ': only declared tools are accepted'],
  [
    /: (.*?) → (.*?): a call without an outcome may be retried sooner$/,
    ': $2 → $1: a call without an outcome may be retried later',
  ],
  [/: (.*?) → (.*?)(?:, which .*)?$/, ': $2 → $1'],
  [/: \+ (\S+)$/, ': - $1'],
  [/: - (\S+)$/, ': + $1'],
  [/: (the (?:section|list|limit|principle)) is gone.*$/, ': $1 is new'],
  [/: what limited the specialist is gone$/, ': the specialist is limited'],
];

function reversed(line: string): string {
  const found = REVERSED.find(([pattern]) => pattern.test(line));
  return found === undefined ? `no more: ${line}` : line.replace(...found);
}
