/** An explanation as a page for a terminal: why first, then everything that it rests on. */
import type { Explanation } from '@mandate/query';
import { formatMicros } from '@mandate/schemas';
import type { Output } from '../command-context.ts';
import { printable } from '../output/printable.ts';
import { duration, relativeTime } from '../output/relative-time.ts';
import { paint } from '../output/table.ts';

const VERDICT = { ALLOW: 'green', BLOCK: 'red', DEFER: 'yellow' } as const;
const SAID = { pass: 'green', block: 'red', defer: 'yellow', skip: 'dim' } as const;

type Line = string;
type Section = { title: string; lines: readonly Line[] };

export function explanationPage(told: Explanation, stdout: Output, nowMs: number): string {
  const sections = [
    request(told),
    checks(told, stdout),
    change(told),
    ledger(told),
    settlements(told),
    people(told, nowMs),
    others('Before it', told.before),
    others('After it', told.after),
    others('Others on the same action', told.sameAction),
    others('Repeats, for which it stands', told.duplicates),
    others('Its parent', told.parents),
    others('Its children', told.children),
    others('Its trace', told.trace),
  ];
  const blocks = [
    headline(told, stdout, nowMs),
    ...sections
      .filter(({ lines }) => lines.length > 0)
      .map(({ title, lines }) => [paint('bold', title, stdout), ...lines.map((line) => `  ${line}`)]),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function headline({ decision }: Explanation, stdout: Output, nowMs: number): Line[] {
  const { verdict, code, id, reason, remedy, decidedAt, observed } = decision;
  const when = `${decidedAt} (${relativeTime(Date.parse(decidedAt), nowMs)})`;
  return [
    `${paint(VERDICT[verdict], verdict, stdout)}  ${code}  ${id}  ${when}`,
    `  ${printable(reason)}`,
    ...(remedy === '' ? [] : [`  ${printable(remedy)}`]),
    ...(observed === null ? [] : [`  Observed only; enforced: ${observed.verdict} (${observed.code}).`]),
  ];
}

function request({ decision, mandate, traceId }: Explanation): Section {
  const { action, agentId, actionId, attempt, tenant, requestedAt } = decision;
  const { principal, parentActionId, context } = action;
  const what =
    action.type === 'tool_call'
      ? [
          ['tool', action.tool],
          ['arguments', JSON.stringify(action.args ?? {})],
        ]
      : [
          ['model', [action.provider, action.model].filter(Boolean).join(' ')],
          ['tokens', `${action.inputTokens} in, at most ${action.maxOutputTokens} out`],
        ];
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
  ] as const;
  const lines = rows.flatMap(([name = '', value]) =>
    value === undefined ? [] : [`${name.padEnd(10)} ${printable(value)}`],
  );
  return { title: 'Request', lines };
}

function checks({ checks, mandate }: Explanation, stdout: Output): Section {
  const lines = checks.map(({ check, said, words, bound }) => {
    const from = bound === null ? '' : `  [${bound.field}]`;
    const name = paint(SAID[said], `${said.padEnd(5)} ${check.padEnd(21)}`, stdout);
    return `${name} ${printable(words + from)}`;
  });
  return { title: 'Checks', lines: mandate === null ? lines : [...lines, printable(mandate.notTold)] };
}

const ASK_AGAIN = {
  'the-same-request': 'Then send the same request, with the same id, again.',
  'next-attempt': 'Then ask as the next attempt of the same action.',
  'new-id': 'Then ask under a new id.',
};

function change({ change }: Explanation): Section {
  const { needs, near, unasked, askAgainAs } = change;
  const lines = needs.flatMap(({ check, anyOf }) =>
    anyOf.map(({ words }, at) => `${at === 0 ? check.padEnd(21) : '  or'.padEnd(21)} ${printable(words)}`),
  );
  if (askAgainAs !== null) lines.push(ASK_AGAIN[askAgainAs]);
  if (unasked.length > 0 && needs.length > 0) {
    lines.push(`Not asked, and may object then: ${unasked.join(', ')}.`);
  }
  for (const { check, words } of near) lines.push(`${check.padEnd(21)} near: ${printable(words)}`);
  return { title: 'What would change it', lines };
}

function ledger({ decision, limits }: Explanation): Section {
  const { chargedMicros, cumulativeMicros, ledgerSequence, ledgerEpoch, leaseExpiresAt } = decision;
  const lease = leaseExpiresAt === null ? '' : `, lease until ${leaseExpiresAt}`;
  return {
    title: 'Ledger',
    lines: [
      `charged ${formatMicros(chargedMicros)}${lease}; the agent has spent ${formatMicros(cumulativeMicros)} in all`,
      ...limits.budgets.map(({ scope, id, windowMs, before, after, max }) =>
        printable(
          `budget ${scope} ${id}${windowMs === null ? '' : ` per ${duration(windowMs) ?? `${windowMs} ms`}`}: ${before} -> ${after}${max === undefined ? '' : ` of ${max}`}`,
        ),
      ),
      ...limits.rates.map(({ tool, windowMs, before, after, maxCalls }) =>
        printable(
          `rate ${tool ?? 'of all calls'} per ${duration(windowMs) ?? `${windowMs} ms`}: ${before} -> ${after} of ${maxCalls}`,
        ),
      ),
      `sequence ${ledgerSequence} of epoch ${ledgerEpoch}`,
    ],
  };
}

function settlements({ settlements }: Explanation): Section {
  const lines = settlements.map(
    ({ settledAt, status, code, delta, charged, late }) =>
      `${settledAt}  ${status}  ${code}  ${delta}, charged ${charged}${late ? ', after its lease' : ''}`,
  );
  return { title: 'Settled', lines };
}

function people({ approvals, kills }: Explanation, nowMs: number): Section {
  const lines = [...approvals, ...kills].map(({ event, answer, scope, by, reason, happenedAt }) =>
    printable(
      `${happenedAt} (${relativeTime(Date.parse(happenedAt), nowMs)})  ${event} ${answer ?? scope ?? ''} by ${by ?? 'nobody'}: ${reason}`,
    ),
  );
  return { title: 'What people did', lines };
}

function others(title: string, { decisions, more }: Explanation['before']): Section {
  const lines = decisions.map(({ id, apartMs, verdict, code, agentId, actionId, tool, model, charged }) =>
    printable(
      [
        id,
        apart(apartMs).padEnd(13),
        verdict.padEnd(5),
        agentId,
        actionId,
        tool ?? model ?? '',
        verdict === 'ALLOW' ? charged : code,
      ].join('  '),
    ),
  );
  return { title, lines: more ? [...lines, '… and more'] : lines };
}

function apart(ms: number): string {
  if (ms === 0) return 'at once';
  const long = duration(Math.abs(ms)) ?? `${Math.abs(ms)} ms`;
  return ms < 0 ? `${long} before` : `${long} after`;
}
