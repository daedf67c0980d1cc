/** An explanation as a page for a terminal: first the reason, then all the facts that it is based on. */
import type { Explanation } from '@mandate/plane';
import {
  type Decision,
  durationInWords,
  formatMicros,
  isModelCall,
  isPinned,
  isToolCall,
  ownFreeFieldsOf,
  rulesInWords,
  type Settling,
  subjectOf,
  UNIT_NAMES,
} from '@mandate/schemas';
import type { Output } from '../command-context.ts';
import { forPeople } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { duration, relativeTime } from '../output/relative-time.ts';
import { shadowInWords } from '../output/shadow-in-words.ts';
import { roomOn } from '../output/show-fitted.ts';
import { paint } from '../output/table.ts';
import { wrap } from '../output/wrap.ts';
import { dutiesInWords } from './duties-in-words.ts';

const VERDICT = { ALLOW: 'green', BLOCK: 'red', DEFER: 'yellow' } as const;
const SAID = { pass: 'green', block: 'red', defer: 'yellow', skip: 'dim' } as const;

/**
 * A label with a text beside it. On a narrow terminal, the further lines of the text are indented like the first
 * line.
 */
type Line = { label: string; text: string; style?: Parameters<typeof paint>[0] };
type Section = { title: string; lines: readonly Line[] };

const INDENT = 2;

export function explanationPage(told: Explanation, stdout: Output, nowMs: number): string {
  const around = toldOnce(told);
  const sections = [
    request(told),
    policies(told, nowMs),
    duties(told),
    checks(told),
    change(told),
    ledger(told),
    settlements(told),
    people(told, nowMs),
    killedAfter(told, nowMs),
    others('Before it', around.before),
    others('After it', around.after),
    others('Others on the same action', around.sameAction),
    others('Repeats, for which it stands', around.duplicates),
    others('Its parent', around.parents),
    others('Its children', around.children),
    others('Others of its trace', around.trace),
  ];
  const blocks = [
    headline(told, stdout, nowMs),
    ...sections
      .filter(({ lines }) => lines.length > 0)
      .map(({ title, lines }) => [
        paint('bold', title, stdout),
        ...lines.flatMap((line) => shown(line, stdout)),
      ]),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Returns a line with its label padded to the width of the section. */
function labelled(label: string, width: number, text: string, style?: Line['style']): Line {
  return { label: `${printable(label).padEnd(width)} `, text, ...(style && { style }) };
}

const plain = (text: string): Line => ({ label: '', text });

function shown({ label, text, style }: Line, stdout: Output): string[] {
  const indent = INDENT + label.length;
  return wrap(printable(text), roomOn(stdout) - indent).map((part, at) => {
    if (at > 0) return ' '.repeat(indent) + part;
    return `${' '.repeat(INDENT)}${style === undefined ? label : paint(style, label, stdout)}${part}`;
  });
}

function headline({ decision }: Explanation, stdout: Output, nowMs: number): string[] {
  const { verdict, code, id, reason, remedy, decidedAt, observed, shadow } = decision;
  const when = `${decidedAt} (${relativeTime(Date.parse(decidedAt), nowMs)})`;
  const enforced =
    observed === null ? [] : [`Observed only; enforced: ${observed.verdict} (${observed.code}).`];
  const besides = shadow === undefined ? [] : [shadowInWords(shadow)];
  return [
    `${paint(VERDICT[verdict], verdict, stdout)}  ${code}  ${id}  ${when}`,
    ...[reason, ...(remedy === '' ? [] : [remedy]), ...enforced, ...besides].flatMap((text) =>
      shown(plain(forPeople(text, decision)), stdout),
    ),
  ];
}

function whatIsAsked(action: Decision['action']): (readonly [string, string])[] {
  if (isToolCall(action)) {
    return [
      ['tool', action.tool],
      ['arguments', JSON.stringify(action.args ?? {})],
    ];
  }
  if (isModelCall(action)) {
    return [
      ['model', [action.provider, action.model].filter(Boolean).join(' ')],
      ['tokens', `${action.inputTokens} in, at most ${action.maxOutputTokens} out`],
    ];
  }
  const own = ownFreeFieldsOf(action).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const subject = subjectOf(action);
  return [['type', action.type], ...(subject === '' ? [] : [['subject', subject] as const]), ...own];
}

function request({ decision, mandate, traceId }: Explanation): Section {
  const { action, agentId, actionId, attempt, tenant, requestedAt } = decision;
  const { principal, parentActionId, context } = action;
  const what = whatIsAsked(action);
  const rows = [
    ['agent', `${agentId} of ${tenant}`],
    ['action', `${actionId}, attempt ${attempt}`],
    ...what,
    ['principal', principal && [principal.id, principal.role].filter(Boolean).join(', ')],
    ['parent', parentActionId],
    ['context', context && JSON.stringify(context)],
    ['asked at', requestedAt ?? undefined],
    ['trace', traceId ?? undefined],
    ['mandate', mandate === null ? 'none' : `${mandate.id}, ${mandate.hash}`],
    ['policies', mandate?.policies.join(', ') || undefined],
    ['rules', mandate?.rules.join(', ') || undefined],
    ['claims', claimsInWords(mandate, action)],
    ['pinned', action.pinned && `${action.pinned.join(', ')}: fixed by the API key ${action.pinnedBy}`],
  ] as const;
  const lines = rows.flatMap(([name = '', value]) =>
    value === undefined ? [] : [labelled(name, 10, value)],
  );
  return { title: 'Request', lines };
}

/** Returns who published the policies of the decision, and the reasons. */
function policies({ policyVersions }: Explanation, nowMs: number): Section {
  const width = Math.max(0, ...policyVersions.map(({ policy }) => policy.length));
  const lines = policyVersions.map(({ policy, published }) =>
    labelled(
      policy,
      width,
      published === null ? 'its publication is not on record' : publishedBy(published, nowMs),
    ),
  );
  return { title: 'Policies', lines };
}

function publishedBy(
  { by, reason, publishedAt }: NonNullable<Explanation['policyVersions'][number]['published']>,
  nowMs: number,
): string {
  const when = `${publishedAt} (${relativeTime(Date.parse(publishedAt), nowMs)})`;
  return `published ${when} by ${by ?? 'an unnamed author'}: ${reason === '' ? 'no reason given' : reason}`;
}

/**
 * Returns a sentence about the claims of the caller that rules relied on. Claims that the API key fixed are left out.
 */
function claimsInWords(
  mandate: Explanation['mandate'],
  { pinned = [] }: Explanation['decision']['action'],
): string | undefined {
  const looked = (mandate?.grantedBy ?? []).flatMap(({ claims = [] }) => claims);
  const claims = [...new Set(looked)].filter((claim) => !isPinned(claim, pinned));
  return claims.length === 0
    ? undefined
    : `rules went by ${claims.join(', ')}, which is what the caller said`;
}

function duties({ decision }: Explanation): Section {
  const rows = dutiesInWords(decision);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  const lines = rows.map(([name, words]) => labelled(name, width, words));
  return { title: 'Obligations, notes and events', lines };
}

function checks({ checks, mandate }: Explanation): Section {
  const lines = checks.map(({ check, result, words, bound }) => {
    return labelled(`${result.padEnd(5)} ${check}`, 27, words + from(bound), SAID[result]);
  });
  const notTold = mandate?.notTold ?? null;
  return { title: 'Checks', lines: notTold === null ? lines : [...lines, plain(notTold)] };
}

function from(bound: Explanation['checks'][number]['bound']): string {
  if (bound === null) return '';
  const { field, policy, rules } = bound;
  const by = rules.length === 0 ? '' : ` by ${rulesInWords(rules)}`;
  return `  [${field}${policy === null ? '' : `, ${policy}${by}`}]`;
}

const ASK_AGAIN = {
  'the-same-request': 'Then send the same request again, with the same id.',
  'next-attempt': 'Then ask as the next attempt of the same action.',
  'new-id': 'Then ask under a new id.',
};

function change({ change }: Explanation): Section {
  const { needs, near, unasked, askAgainAs } = change;
  const lines = needs.flatMap(({ check, anyOf }) =>
    anyOf.map(({ words }, at) => labelled(at === 0 ? check : '  or', 21, words)),
  );
  if (askAgainAs !== null) lines.push(plain(ASK_AGAIN[askAgainAs]));
  if (unasked.length > 0 && needs.length > 0) {
    lines.push(plain(`Not asked, and may object then: ${unasked.join(', ')}.`));
  }
  for (const { check, words } of near) lines.push(labelled(check, 21, `near: ${words}`));
  return { title: 'What would change it', lines };
}

function ledger({ decision, limits }: Explanation): Section {
  const { chargedMicros, cumulativeMicros, ledgerSequence, ledgerEpoch, leaseExpiresAt } = decision;
  const lease = leaseExpiresAt === null ? '' : `, lease until ${leaseExpiresAt}`;
  const lines = [
    `charged ${formatMicros(chargedMicros)}${lease}; the agent has spent ${formatMicros(cumulativeMicros)} in all`,
    ...(decision.reservation === null ? [] : [termsInWords(decision.reservation.settling)]),
    ...limits.budgets.map(({ scope, id, ancestor, windowMs, before, after, max }) => {
      const most = max === undefined ? '' : ` of ${max}`;
      return `budget ${scope} ${id}${whose(ancestor)}${windowMs === null ? '' : per(windowMs)}: ${before} -> ${after}${most}`;
    }),
    ...limits.units.map(
      ({ unit, scope, id, ancestor, windowMs, before, after, most }) =>
        `${UNIT_NAMES[unit].noun} ${scope} ${id}${whose(ancestor)}${windowMs === null ? '' : per(windowMs)}: ${before} -> ${after} of ${most}`,
    ),
    ...limits.rates.map(
      ({ tool, ancestor, windowMs, before, after, maxCalls }) =>
        `rate ${tool ?? 'of all calls'}${whose(ancestor)}${per(windowMs)}: ${before} -> ${after} of ${maxCalls}`,
    ),
    `sequence ${ledgerSequence} of epoch ${ledgerEpoch}`,
  ];
  return { title: 'Ledger', lines: lines.map(plain) };
}

function termsInWords({ leastMicros, ownLeastMicros, mostMicros, releases }: Settling): string {
  const own = ownLeastMicros > leastMicros ? ` (${formatMicros(ownLeastMicros)} by its own report)` : '';
  const back =
    releases === null
      ? 'everything'
      : `at most ${formatMicros(releases.micros)} for failures; successes make room for ${releases.percent} % of their cost again`;
  return `a success costs at least ${formatMicros(leastMicros)}${own}; an actual cost is charged up to ${formatMicros(mostMicros)}; own reports give back ${back}`;
}

function whose(ancestor: string | undefined): string {
  return ancestor === undefined ? '' : ` of ${ancestor}`;
}

function per(windowMs: number): string {
  return ` per ${durationInWords(windowMs)}`;
}

function settlements({ settlements }: Explanation): Section {
  const lines = settlements.flatMap((settlement) => {
    const { settledAt, status, code, marks, delta, charged, late, reason } = settlement;
    const said = marks.length === 0 ? code : marks.join(', ');
    const line = `${settledAt}  ${status}  ${said}  ${delta}, charged ${charged}${late ? ', after its lease' : ''}`;
    return [line, `  reported by ${reporterOf(settlement)}${reason === '' ? '' : `: ${reason}`}`];
  });
  return { title: 'Settled', lines: lines.map(plain) };
}

function reporterOf({ reportedBy, mayRelease }: Explanation['settlements'][number]): string {
  const who = reportedBy === null ? 'a producer' : `key ${reportedBy}`;
  return mayRelease ? `${who}, which may release` : who;
}

function people({ approvals, kills }: Explanation, nowMs: number): Section {
  const lines = [...approvals, ...kills].map((did) => didIt(did, nowMs));
  return { title: 'What people did', lines: lines.map(plain) };
}

function killedAfter({ killsAfter }: Explanation, nowMs: number): Section {
  const lines = killsAfter.flatMap((kill) => [didIt(kill, nowMs), kill.words]);
  return { title: 'Killed right after it', lines: lines.map(plain) };
}

function didIt(did: Explanation['kills'][number], nowMs: number): string {
  const { event, answer, scope, by, reason, happenedAt } = did;
  return `${happenedAt} (${relativeTime(Date.parse(happenedAt), nowMs)})  ${event} ${answer ?? scope ?? ''} by ${by ?? 'nobody'}: ${reason}`;
}

/**
 * The lists of other decisions, the most specific list first. A decision in several lists is shown in the first of
 * them only.
 */
const MOST_TELLING = ['duplicates', 'sameAction', 'parents', 'children', 'before', 'after', 'trace'] as const;

type Around = Pick<Explanation, (typeof MOST_TELLING)[number]>;

/** Keeps each decision only in the first list that contains it. Several lists may contain the same decision. */
function toldOnce(told: Explanation): Around {
  const seen = new Set([told.decision.id]);
  const around: Partial<Around> = {};
  for (const list of MOST_TELLING) {
    const { decisions, more } = told[list];
    around[list] = { decisions: decisions.filter(({ id }) => !seen.has(id)), more };
    for (const { id } of decisions) seen.add(id);
  }
  return around as Around;
}

function others(title: string, { decisions, more }: Explanation['before']): Section {
  const lines = decisions.map(
    ({ id, apartMs, verdict, code, agentId, actionId, type, tool, model, charged }) =>
      labelled(
        `${id}  ${apart(apartMs).padEnd(13)} `,
        0,
        `${verdict.padEnd(5)}  ${agentId}  ${actionId}  ${tool ?? model ?? type}  ${verdict === 'ALLOW' ? charged : code}`,
      ),
  );
  return { title, lines: more ? [...lines, plain('… and more')] : lines };
}

function apart(ms: number): string {
  if (ms === 0) return 'at once';
  const long = duration(Math.abs(ms)) ?? `${Math.abs(ms)} ms`;
  return ms < 0 ? `${long} before` : `${long} after`;
}
