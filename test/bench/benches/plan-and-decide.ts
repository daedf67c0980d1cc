/**
 * Measures `plan` and `decide` on one thread, for mixed actions. Some actions use tools that no earlier action named.
 * The facts of the ledger are made before the measurement, because the ledger has its own bench. Each batch of
 * actions is made just before it is used, as in a decider. In one row, all actions are made at once, to show the
 * difference.
 *
 * The rival engines get three things: the rules on names, the rule on the cost of a call, and that cost. They cannot
 * express the other rules of the mandate and do not check them. If a verdict of a rival differs from the verdict of
 * Mandate, the bench fails.
 */
import { decide, type Mandate, plan } from '@mandate/policy';
import type { Action, StepFacts, Verdict } from '@mandate/schemas';
import { type Comparison, compare } from '../measure/compare.ts';
import { eachAlone } from '../measure/each-alone.ts';
import { collected, measureBatches, measureWork, type Work } from '../measure/work.ts';
import { casbin } from '../rivals/casbin.ts';
import { cedar } from '../rivals/cedar.ts';
import { rulesIn, type StaticEngine } from '../rivals/static-rules.ts';
import type { Row } from '../row.ts';
import { ALLOWED_OF_TWENTY, newActions } from '../workload/actions.ts';
import { nothingInTheWay } from '../workload/facts.ts';
import { mandateDocument, mandateOf } from '../workload/mandate.ts';

const ACTIONS = 100_000;
/** The maximum number of actions that a decider takes at once. */
const BATCH = 500;
const BATCHES = ACTIONS / BATCH;
const PAIRS = 7;
const AT_MS = Date.parse('2026-06-01T12:00:00Z');

export async function planAndDecide(): Promise<Row[]> {
  const document = mandateDocument({ globs: 10 });
  const ten = mandateOf(document);
  const rules = rulesIn(document);
  const itself: Rival = { what: 'the same with 10 globs', run: () => ours(ten) };
  const rows: Row[] = [];
  for (const rival of [parsing, engine(cedar(rules), ten), engine(await casbin(rules), ten)]) {
    rows.push(...(await rateOf('10 globs', () => ours(ten), rival)));
  }
  rows.push(...(await rateOf('10 globs, 100,000 made beforehand', () => allAtOnce(ten), itself)));
  const hundred = mandateOf(mandateDocument({ globs: 100 }));
  rows.push(...(await latencyOf('100 globs', hundred, ten)));
  const thousand = mandateOf(mandateDocument({ globs: 1_000 }));
  rows.push(...(await rateOf('100 globs', () => ours(hundred), itself)));
  rows.push(...(await rateOf('1000 globs', () => ours(thousand), itself)));
  const checked = mandateOf(mandateDocument({ globs: 10, schemas: true }));
  rows.push(...(await rateOf('argument schemas', () => ours(checked, true), itself)));
  return rows;
}

type Rival = Comparison<'perSecond'>['rival'];

function rateOf(mandate: string, run: () => Promise<Work>, rival: Rival): Promise<Row[]> {
  const figures = { perSecond: { what: `plan + decide, ${mandate}`, unit: '/s' } } as const;
  return compare({ pairs: PAIRS, ours: run, rival, figures });
}

async function ours(mandate: Mandate, schemas = false): Promise<Work> {
  let allowed = 0;
  const work = await measureBatches(
    { batches: BATCHES, make: () => newlyAsked(BATCH, mandate, schemas) },
    (asked) => {
      allowed += countAllowed(asked, mandate);
    },
  );
  mustBeAllowed(allowed);
  return work;
}

async function allAtOnce(mandate: Mandate): Promise<Work> {
  const asked = newlyAsked(ACTIONS, mandate);
  await collected();
  let allowed = 0;
  const work = await measureWork(ACTIONS, () => {
    allowed = countAllowed(asked, mandate);
  });
  mustBeAllowed(allowed);
  return work;
}

function mustBeAllowed(allowed: number): void {
  if (allowed !== (ACTIONS / 20) * ALLOWED_OF_TWENTY) throw new Error(`allowed ${allowed} of ${ACTIONS}`);
}

/**
 * Counts the allowed actions. A separate function is compiled once; a loop inside a sample would be compiled again in
 * each sample.
 */
function countAllowed(asked: readonly Asked[], mandate: Mandate): number {
  let allowed = 0;
  for (const { action, facts } of asked) {
    if (decide(plan(action, mandate, AT_MS), facts).verdict === 'ALLOW') allowed += 1;
  }
  return allowed;
}

/** An action, and the facts that a ledger without any spending would give for the action. */
type Asked = { action: Action; facts: StepFacts };

function newlyAsked(count: number, mandate: Mandate, schemas = false): Asked[] {
  return newActions(count, { schemas }).map((action) => ({
    action,
    facts: nothingInTheWay(action, mandate, AT_MS),
  }));
}

function latencyOf(globs: string, mandate: Mandate, other: Mandate): Promise<Row[]> {
  return compare({
    pairs: PAIRS,
    ours: () => alone(mandate),
    rival: { what: 'the same with 10 globs', run: () => alone(other) },
    figures: { p99Micros: { what: `plan + decide, ${globs}: p99 of one call`, unit: 'µs' } },
  });
}

async function alone(mandate: Mandate) {
  const asked = newlyAsked(ACTIONS, mandate);
  await collected();
  return eachAlone(asked, ({ action, facts }) => decide(plan(action, mandate, AT_MS), facts));
}

/** Returns a rival engine, which must give the same verdicts as Mandate. */
function engine({ what, permits }: StaticEngine, mandate: Mandate): Rival {
  return {
    what,
    run: async () => {
      const judged: Judged[] = [];
      const said: boolean[] = [];
      const make = () => {
        const asked = newlyAsked(BATCH, mandate).map((each) => judge(each, mandate));
        judged.push(...asked);
        return asked;
      };
      const work = await measureBatches({ batches: BATCHES, make }, (asked) => {
        for (const { action, costMicros } of asked) said.push(permits(action, costMicros));
      });
      for (const [at, { action, ours }] of judged.entries()) {
        if (said[at] === (ours === 'ALLOW')) continue;
        throw new Error(`${what} is of another mind than ${ours} on ${JSON.stringify(action)}`);
      }
      return work;
    },
  };
}

type Judged = { action: Action; costMicros: number; ours: Verdict };

function judge({ action, facts }: Asked, mandate: Mandate): Judged {
  const planned = plan(action, mandate, AT_MS);
  return { action, costMicros: planned.reserveMicros, ours: decide(planned, facts).verdict };
}

/** Parses the text of the action, which every service must do at least. */
const parsing: Rival = {
  what: 'JSON.parse of the same action',
  run: async () => {
    const make = () => newActions(BATCH).map((action) => JSON.stringify(action));
    let kept = 0;
    const work = await measureBatches({ batches: BATCHES, make }, (texts) => {
      for (const text of texts) kept += JSON.parse(text).id.length;
    });
    if (kept === 0) throw new Error('nothing was parsed');
    return work;
  },
};
