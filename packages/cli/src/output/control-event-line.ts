import { type ControlRecord, durationInWords, formatMicros } from '@mandate/schemas';
import type { Output } from '../command-context.ts';
import { cut } from './fit-columns.ts';
import { lineTime } from './line-time.ts';
import { printable } from './printable.ts';
import { roomOn } from './show-fitted.ts';
import { paint } from './table.ts';

/** The fields of a control event that a line shows, as the plane returns them. */
export type ShownControlEvent = {
  event: string;
  happenedAt: string;
  scope: string | null;
  agentId: string | null;
  by: string | null;
  reason: string;
  budgetScope: string | null;
  budgetSubject: string | null;
  budgetId: string | null;
  budgetWindowMs: number | null;
  deltaMicros: number | null;
  actionId: string | null;
  answer: string | null;
  ledgerEpoch: string | null;
  /**
   * The subject of a change to a tenant, agent, key, policy, rule or mandate. An older plane returns neither this
   * field nor the next two fields.
   */
  subject?: string | null;
  policyVersion?: number | null;
  refusal?: string | null;
  /** The role of the key of a person, if the plane returns it. */
  role?: string | null;
  keyName?: string | null;
};

type Told = { word: string; style: Parameters<typeof paint>[0]; what: string };

const CHANGES: Readonly<
  Record<ControlRecord['event'], readonly [word: string, what: (event: ShownControlEvent) => string]>
> = {
  'agent.put': ['REGISTERED', ({ subject }) => `agent ${subject}`],
  'agent.retired': ['RETIRED', ({ subject }) => `agent ${subject}`],
  'key.issued': ['ISSUED', ({ subject, agentId }) => `key ${subject} of ${agentId}`],
  'key.revoked': ['REVOKED', ({ subject, agentId }) => `key ${subject} of ${agentId}`],
  'role.granted': ['ISSUED', grantOf],
  'role.revoked': ['REVOKED', ({ subject }) => `key ${subject} of a role`],
  'policy.published': ['PUBLISHED', versionOf('policy')],
  'policy.archived': ['ARCHIVED', versionOf('policy')],
  'rule.put': ['CHANGED', ({ subject }) => `rule ${subject}`],
  'rule.removed': ['REMOVED', ({ subject }) => `rule ${subject}`],
  'rules.reordered': ['REORDERED', () => 'the rules'],
  'grant.issued': ['ISSUED', ({ subject, agentId }) => `grant ${subject} to ${agentId}`],
  'grant.revoked': ['REVOKED', ({ subject }) => `grant ${subject}`],
  'manifest.published': ['PUBLISHED', versionOf('manifest')],
  'manifest.removed': ['REMOVED', versionOf('manifest')],
  'tenant.put': ['OPENED', ({ subject }) => `tenant ${subject}`],
  'tenant.closed': ['CLOSED', ({ subject }) => `tenant ${subject}`],
};

/**
 * Returns one control event on one line, as `tail` shows it: who did what, and why. For a terminal, the text is cut
 * to the width of the line.
 */
export function controlEventLine(event: ShownControlEvent, stream: Output, nowMs: number): string {
  const { word, style, what } = toldOf(event);
  const time = lineTime(event.happenedAt, nowMs);
  const by = event.by === null ? '' : ` by ${event.by}`;
  const why = event.reason === '' ? '' : `: ${event.reason}`;
  const room = Math.max(1, roomOn(stream) - `${time}  ${word} `.length);
  return `${paint('dim', time, stream)}  ${paint(style, word, stream)} ${cut(printable(`${what}${by}${why}`), room)}`;
}

function toldOf(event: ShownControlEvent): Told {
  if (isChange(event.event)) return toldOfChange(event, CHANGES[event.event]);
  switch (event.event) {
    case 'agent.killed':
      return { word: 'KILLED', style: 'red', what: targetOf(event) };
    case 'agent.revived':
      return { word: 'REVIVED', style: 'green', what: targetOf(event) };
    case 'approval.recorded': {
      const what = `${event.actionId} of ${event.agentId}`;
      if (event.answer === 'granted') return { word: 'GRANTED', style: 'green', what };
      return { word: 'DENIED', style: 'yellow', what };
    }
    case 'budget.adjusted':
      return { word: 'ADJUSTED', style: 'cyan', what: budgetOf(event) };
    case 'ledger.epoch':
      return { word: 'LEDGER', style: 'yellow', what: `begins ${event.ledgerEpoch}` };
    default:
      // The plane may be newer than this command. Then it may send events that this command does not know.
      return { word: event.event.toUpperCase(), style: 'cyan', what: event.subject ?? event.agentId ?? '' };
  }
}

function isChange(name: string): name is ControlRecord['event'] {
  return Object.hasOwn(CHANGES, name);
}

/** Returns the text of a change. The text of a refused change begins with NOT. */
function toldOfChange(
  event: ShownControlEvent,
  [word, what]: (typeof CHANGES)[ControlRecord['event']],
): Told {
  const { refusal = null } = event;
  if (refusal === null) return { word, style: 'cyan', what: what(event) };
  return { word: `NOT ${word}`, style: 'yellow', what: `${what(event)} (${refusal})` };
}

function versionOf(what: 'policy' | 'manifest') {
  return ({ subject, policyVersion }: ShownControlEvent) =>
    typeof policyVersion === 'number' ? `${what} ${subject}@${policyVersion}` : `${what} ${subject}`;
}

function grantOf({ subject, role, keyName }: ShownControlEvent): string {
  return role && keyName ? `key ${subject} with the role ${role} to ${keyName}` : `key ${subject} of a role`;
}

function targetOf({ scope, agentId }: ShownControlEvent): string {
  if (scope === 'all') return 'everything';
  return scope === 'tenant' ? 'every agent of the tenant' : (agentId ?? '');
}

function budgetOf(event: ShownControlEvent): string {
  const { budgetScope, budgetSubject, budgetId, budgetWindowMs, deltaMicros } = event;
  const windowed = budgetWindowMs === null ? '' : ` per ${durationInWords(budgetWindowMs)}`;
  const owner = budgetScope === 'tenant' ? 'the tenant' : `${budgetScope} ${budgetSubject}`;
  return `${budgetId}${windowed} of ${owner}, ${formatMicros(deltaMicros ?? 0)}`;
}
