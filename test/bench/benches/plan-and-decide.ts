/**
 * The pure core on one thread: `plan` and `decide` for mixed actions, the tools of some never named before. What the
 * ledger would have found is prepared beforehand, for the ledger has a bench of its own.
 */
import { decide, type Mandate, plan } from '@mandate/policy';
import type { StepFacts } from '@mandate/schemas';
import { type Comparison, compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { ALLOWED_OF_TWENTY, newActions } from '../workload/actions.ts';
import { nothingInTheWay } from '../workload/facts.ts';
import { mandateDocument, mandateOf } from '../workload/mandate.ts';

const ACTIONS = 20_000;
const PAIRS = 7;
const AT_MS = Date.parse('2026-06-01T12:00:00Z');

export async function planAndDecide(): Promise<Row[]> {
  const ten = mandateOf(mandateDocument({ globs: 10 }));
  const itself: Rival = { what: 'the same with 10 globs', run: () => ours(ten) };
  const rows: Row[] = [];
  for (const rival of [parsing, lookingUp]) rows.push(...(await rateOf('10 globs', () => ours(ten), rival)));
  for (const globs of [100, 1_000]) {
    const mandate = mandateOf(mandateDocument({ globs }));
    rows.push(...(await rateOf(`${globs} globs`, () => ours(mandate), itself)));
  }
  const checked = mandateOf(mandateDocument({ globs: 10, schemas: true }));
  rows.push(...(await rateOf('argument schemas', () => ours(checked, true), itself)));
  return rows;
}

type Rival = Comparison<'perSecond'>['beside'];

function rateOf(mandate: string, run: () => Promise<Work>, beside: Rival): Promise<Row[]> {
  const figures = { perSecond: { what: `plan + decide, ${mandate}`, unit: '/s' } } as const;
  return compare({ pairs: PAIRS, ours: run, beside, figures });
}

async function ours(mandate: Mandate, schemas = false): Promise<Work> {
  const actions = newActions(ACTIONS, { schemas });
  const facts = actions.map((action): StepFacts => nothingInTheWay(action, mandate, AT_MS));
  let allowed = 0;
  const work = await measureWork(ACTIONS, () => {
    actions.forEach((action, index) => {
      const judged = decide(plan(action, mandate, AT_MS), facts[index] as StepFacts);
      if (judged.verdict === 'ALLOW') allowed += 1;
    });
  });
  if (allowed !== (ACTIONS / 20) * ALLOWED_OF_TWENTY) throw new Error(`allowed ${allowed} of ${ACTIONS}`);
  return work;
}

/** What every service must do at least: turn the text of the action into an object. */
const parsing: Rival = {
  what: 'JSON.parse of the same action',
  run: () => {
    const texts = newActions(ACTIONS).map((action) => JSON.stringify(action));
    let kept = 0;
    return measureWork(ACTIONS, () => {
      for (const text of texts) kept += JSON.parse(text).id.length;
      if (kept === 0) throw new Error('nothing was parsed');
    });
  },
};

/** The least that could be called governing: is the name in a set, and how often was it called. */
const lookingUp: Rival = {
  what: 'Set lookup + Map counter',
  run: () => {
    const names = newActions(ACTIONS).map((action) =>
      action.type === 'tool_call' ? action.tool : action.model,
    );
    const allowed = new Set(names.filter((_, index) => index % 20 < ALLOWED_OF_TWENTY));
    const calls = new Map<string, number>();
    let refused = 0;
    return measureWork(ACTIONS, () => {
      for (const name of names) {
        const count = calls.get(name) ?? 0;
        if (!allowed.has(name) || count >= ACTIONS) refused += 1;
        else calls.set(name, count + 1);
      }
      if (refused === 0) throw new Error('nothing was refused');
    });
  },
};
