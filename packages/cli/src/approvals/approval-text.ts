/**
 * An approval as a person reads it before answering, in full. The agent that wants the approval writes most of this
 * text, so the layout must hide nothing. The shortest fields come first, and each field starts on a line of its own.
 * If a field takes several lines, its text never reaches the margin where the next field starts.
 */
import { leavesOf } from '@mandate/documents/leaves-of';
import { formatMicros, isPinned } from '@mandate/schemas';
import type { Output } from '../command-context.ts';
import { counted, forPeople } from '../output/for-people.ts';
import { hardWrap } from '../output/hard-wrap.ts';
import { printable } from '../output/printable.ts';
import { shownTime } from '../output/relative-time.ts';
import { nowOn, roomOn } from '../output/show-fitted.ts';
import { paint } from '../output/table.ts';
import type { Approval } from './approval.ts';

const LABEL = 10;

export function approvalText(approval: Approval, stdout: Output): string {
  const { id, decisionId, tool, agentId, since, reason, args, context } = approval;
  const lines = [
    labelled('approval', id),
    labelled('asked', shownTime(since, nowOn(stdout))),
    labelled('why', forPeople(reason)),
    labelled('cost', costInWords(approval)),
    ...(approval.risk === null ? [] : [labelled('risk', approval.risk)]),
    labelled('principal', principalInWords(approval)),
    ...(stateOf(approval) === '' ? [] : [labelled('now', stateOf(approval))]),
    labelled('sent', `${fieldsOf('argument', args)} and ${fieldsOf('context', context)}, the shortest first`),
    ...sentBy(approval).map((line) => `  ${line}`),
  ];
  const title = [decisionId, tool ?? '', 'of', agentId].filter((part) => part !== '').join('  ');
  const width = roomOn(stdout);
  return [
    paint('bold', printable(title), stdout),
    ...lines.flatMap((line) => hardWrap(`  ${printable(line)}`, width, ' '.repeat(LABEL + 4))),
    '',
  ].join('\n');
}

function stateOf({ answer, decided }: Approval): string {
  if (decided !== null) return `${decided.verdict} (${decided.code})`;
  if (answer === null) return '';
  return answer.expiresAt === null ? answer.answer : `${answer.answer} until ${answer.expiresAt}`;
}

function labelled(label: string, text: string): string {
  return `${label.padEnd(LABEL)}  ${text}`;
}

function costInWords({ costMicros, estimatedCostMicros }: Approval): string {
  const cost = costMicros === null ? 'not known' : formatMicros(costMicros);
  const claim =
    estimatedCostMicros === null ? '' : `; the caller estimates ${formatMicros(estimatedCostMicros)}`;
  return cost + claim;
}

function principalInWords({ principal, pinned }: Approval): string {
  if (principal === null) return 'none';
  const { id, role } = principal;
  return `${id}, ${role === null ? 'no role' : `role ${role}`}${byWhom('action.principal', pinned)}`;
}

function byWhom(field: string, pinned: readonly string[]): string {
  return isPinned(field, pinned) ? ' (fixed by the API key)' : ' (the caller says so)';
}

function fieldsOf(of: string, value: Approval['args']): string {
  return counted(value === null ? 0 : leavesOf(of, value).length, `${of} field`);
}

function sentBy({ args, context, pinned }: Approval): string[] {
  const leaves = [...(args === null ? [] : leavesOf('args', args)), ...leavesOf('context', context)];
  return leaves
    .map(({ path, json }) => {
      const fixed = path.startsWith('context') && isPinned(path, pinned) ? ' (fixed by the API key)' : '';
      return `${path}  ${json}${fixed}`;
    })
    .toSorted((one, other) => one.length - other.length);
}
