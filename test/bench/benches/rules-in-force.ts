/**
 * Measures decisions under rules: 10,000 agents, 1,000 policies and 5,000 rules. Five of the rules apply to each
 * agent. The first rival has one policy from a file, which applies to all agents. The second rival looks up mandates
 * only for agents that have already asked. The third rival is the log alone.
 */
import type { Bus } from '@mandate/bus';
import { foldControl, mandatesUnderControl, previewMandate } from '@mandate/control';
import { followControl } from '@mandate/control-log';
import { decide, type MandatesInForce, mandatesOfFile, plan } from '@mandate/policy';
import { contentFinders } from '@mandate/privacy';
import { silentLogger } from '@mandate/runtime';
import type { Action, StepFacts } from '@mandate/schemas';
import { TOPICS } from '@mandate/schemas';
import { compare, stated } from '../measure/compare.ts';
import { eachAlone } from '../measure/each-alone.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import { collected, measureBatches, measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newActions } from '../workload/actions.ts';
import { agentNumber, change, controlRecords, policyNumber, SIZE, TENANT } from '../workload/control.ts';
import { nothingInTheWay } from '../workload/facts.ts';
import { mandateDocument, mandateOf } from '../workload/mandate.ts';
import { appendAll, temporaryLog } from '../workload/temporary-log.ts';

const AT_MS = Date.parse('2026-06-01T12:00:00Z');
const [BATCH, BATCHES, PAIRS] = [500, 200, 7];
const PREVIEWS = 500;
const PUBLISHED = 300;

export async function rulesInForce(): Promise<Row[]> {
  const records = controlRecords();
  const many = `${SIZE.agents} agents, ${SIZE.policies} policies, ${SIZE.rules} rules`;
  const before = heapUsed();
  const fold = foldControl();
  for (const [at, record] of records.entries()) fold.apply(record, at + 1);
  const restart = () => mandatesUnderControl(fold, () => records.length);
  const controlled = restart();
  for (const action of ofEachAgent()) controlled.mandateFor(TENANT, action, AT_MS);
  const memory = stated(`memory of ${many}, each agent asked once`, 'MB', [(heapUsed() - before) / 1e6]);

  const ofFile = mandatesOfFile([mandateOf(mandateDocument({ globs: 10 }))], 1);
  const rate = await compare({
    pairs: PAIRS,
    ours: () => decided(controlled),
    rival: { what: 'under one policy, of a file', run: () => decided(ofFile) },
    figures: { perSecond: { what: 'plan + decide under five policies, by rules', unit: '/s' } },
  });
  const first = await compare({
    pairs: PAIRS,
    ours: () => alone(restart()),
    rival: { what: 'asked again', run: () => alone(controlled) },
    figures: { p99Micros: { what: 'which mandate: first action of an agent, p99', unit: 'µs' } },
  });
  const control = fold.tenant(TENANT);
  const previews = ofEachAgent().slice(0, PREVIEWS);
  const preview = eachAlone(previews, (action) => {
    const agent = { id: action.agentId, groups: ['group-1'], labels: {} };
    return previewMandate(control, { agent, action, atMs: AT_MS, rules: [], policies: [] }, contentFinders);
  });
  return [
    ...rate,
    ...first,
    stated('preview of a mandate: p99', 'ms', [preview.p99Micros / 1_000]),
    memory,
    ...(await onTheLog(records)),
  ];
}

function ofEachAgent(): Action[] {
  return newActions(SIZE.agents).map((action, at) => ({ ...action, agentId: agentNumber(at) }));
}

type Asked = { action: Action; facts: StepFacts };

let asked = 0;

function newlyAsked(mandates: MandatesInForce): Asked[] {
  return newActions(BATCH).map((each) => {
    const action = { ...each, agentId: agentNumber((asked++ * 7) % SIZE.agents) };
    const { mandate } = mandates.mandateFor(TENANT, action, AT_MS);
    if (mandate === null) throw new Error('every agent must hold a mandate');
    return { action, facts: nothingInTheWay(action, mandate, AT_MS) };
  });
}

function decided(mandates: MandatesInForce): Promise<Work> {
  return measureBatches({ batches: BATCHES, make: () => newlyAsked(mandates) }, (batch) => {
    for (const { action, facts } of batch) {
      decide(plan(action, mandates.mandateFor(TENANT, action, AT_MS).mandate, AT_MS), facts);
    }
  });
}

async function alone(mandates: MandatesInForce) {
  const actions = ofEachAgent();
  await collected();
  return eachAlone(actions, (action) => mandates.mandateFor(TENANT, action, AT_MS));
}

/** Measures the control topic on the SQLite log. */
async function onTheLog(records: ReturnType<typeof controlRecords>): Promise<Row[]> {
  await using log = await temporaryLog();
  const { bus } = log;
  await appendAll(
    bus,
    TOPICS.control,
    records.map((record) => ({ key: TENANT, partition: 0, value: JSON.stringify(record) })),
  );
  const start = await compare({
    pairs: 5,
    ours: () => measureWork(records.length, async () => (await follow(bus)).stop()),
    rival: { what: 'read + JSON.parse of the same records', run: () => parsed(bus, records.length) },
    figures: {
      perSecond: { what: 'changes of agents, policies and rules, followed from the start', unit: '/s' },
    },
  });
  const [writer, decider] = [await follow(bus), await follow(bus)];
  const published = await compare({
    pairs: 4,
    ours: () =>
      oneByOne(Array.from({ length: PUBLISHED }), async () => {
        const changed = await writer.change(change('policy.published', { policy: policyNumber(1) }));
        while (decider.revision() < changed.revision) await turn();
        decider.mandates.mandateFor(TENANT, firstAction, AT_MS);
      }),
    rival: { what: 'append, until another has read it', run: () => appended(bus) },
    figures: {
      p50Ms: { what: 'policy published → in force for the next action, p50', unit: 'ms' },
      p99Ms: { what: 'policy published → in force for the next action, p99', unit: 'ms' },
    },
  });
  await Promise.all([writer.stop(), decider.stop()]);
  return [...start, ...published];
}

const [firstAction] = ofEachAgent() as [Action];

function follow(bus: Bus) {
  return followControl({ bus, log: silentLogger() });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function parsed(bus: Bus, count: number): Promise<Work> {
  const utf8 = new TextDecoder();
  return measureWork(count, async () => {
    const reader = await bus.read({
      topics: [TOPICS.control],
      from: 'earliest',
      onRecords: (records) => records.forEach(({ value }) => void JSON.parse(utf8.decode(value))),
    });
    await reader.caughtUp;
    await reader.stop();
  });
}

/** Appends the same number of bytes to a topic that no process reads. */
async function appended(bus: Bus) {
  let seen = -1;
  const reader = await bus.read({
    topics: [TOPICS.persons],
    from: 'latest',
    onRecords: (records) => {
      seen = records.at(-1)?.position.offset ?? seen;
    },
  });
  await reader.caughtUp;
  const value = JSON.stringify(change('policy.published', { policy: policyNumber(1) }));
  const sample = await oneByOne(Array.from({ length: PUBLISHED }), async () => {
    const [written] = await bus.append(TOPICS.persons, [{ key: TENANT, partition: 0, value }]);
    while (seen < (written?.position.offset ?? 0)) await turn();
  });
  await reader.stop();
  return sample;
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
