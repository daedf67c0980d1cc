/**
 * A running alerter. It belongs to a group that reads the decisions and the alerts. It evaluates each batch of
 * decisions, appends the alerts, and commits. The alerter that reads the partition of the alerts also delivers them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Batch, type Bus, nextOffset, untilCommitted } from '@mandate/bus';
import {
  answers,
  type Clock,
  isMandateError,
  type Logger,
  poll,
  type ReadinessCheck,
  type Running,
  sharedByRequests,
  systemClock,
  turns,
} from '@mandate/runtime';
import { type AlertsRecord, GROUPS, type ReconciledFact, readAlertsRecord, TOPICS } from '@mandate/schemas';
import type { Metrics } from '@mandate/server';
import type { AlertBook, Entry } from './alert-book.ts';
import { appendAlerts } from './append-alerts.ts';
import { beginning } from './beginning.ts';
import { createDeliverer } from './deliver/deliverer.ts';
import { createEvaluator } from './evaluator.ts';
import { ALERTS_PARTITION, followAlerts } from './follow-alerts.ts';
import { groupsBehind } from './groups-behind.ts';
import { alerterMeasures } from './measures.ts';
import { readWindow } from './read-window.ts';
import type { Raised } from './rules/alarms.ts';
import { unanswered } from './rules/approval-rule.ts';
import type { Finding } from './rules/finding.ts';
import type { RulesFile } from './rules-file.ts';

export type AlerterOptions = {
  bus: Bus;
  rules: Pick<RulesFile, 'alerting' | 'readiness'>;
  log: Logger;
  metrics: Metrics;
  clock?: Clock;
  sessionTimeoutMs?: number;
  /** The maximum number of alerts that may wait for one webhook. Default 1,000. */
  mostWaiting?: number;
  /** How often the alerter checks for unanswered approvals and measures the lag, in milliseconds. Default 1,000. */
  lookEveryMs?: number;
  /** How often the alerter checks whether deciders and recorders are late, in milliseconds. Default 5,000. */
  lookAtGroupsEveryMs?: number;
};

export type Alerter = Running & {
  finished: Promise<unknown>;
  book: AlertBook;
  alerting: RulesFile['alerting'];
  clock: Clock;
  /**
   * Raises an alert that does not come from a record of the log. Resolves once the alert is on the log. Resolves to
   * null if the alert is already known.
   */
  raise(finding: Finding): Promise<Raised | null>;
  /** Resolves once the records are on the log, and this alerter has read them from there. */
  append(records: readonly AlertsRecord[]): Promise<void>;
  /** The newest result of a reconciler in a tenant. Null if none was reported. */
  lastReconciled(tenant: string): ReconciledFact | null;
  /** Resolves once every decision that is now on the log is evaluated, and its alerts are on the log. */
  caughtUp(signal?: AbortSignal): Promise<void>;
  readiness(): Promise<readonly ReadinessCheck[]>;
  /** Alerts link to the console at this address from now on, unless the rule file has another address. */
  linkTo(consoleUrl: string): void;
};

/** How many decisions are evaluated before other work of the event loop runs. Their alerts are on the log first. */
const AT_A_TIME = 20;
const LANE = ['alerter'];

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

export async function startAlerter(options: AlerterOptions): Promise<Alerter> {
  const { bus, rules, log, clock = systemClock, sessionTimeoutMs = 10_000 } = options;
  const { lookEveryMs = 1_000, lookAtGroupsEveryMs = 5_000 } = options;
  const measures = alerterMeasures(options.metrics);
  const stopping = new AbortController();
  const append = appendAlerts({ bus, log, measures, signal: stopping.signal });
  const followed = await followAlerts(bus, log);
  const { alarms, book } = followed;
  const begun = await beginning({ bus, append, clock }, followed);
  const evaluator = createEvaluator({ alarms, alerting: rules.alerting, begun, log });
  const appendAndRead = async (records: readonly AlertsRecord[]) => followed.reached(await append(records));
  const deliverer = createDeliverer({
    book,
    webhooks: () => rules.alerting().webhooks,
    consoleUrl: () => rules.alerting().consoleUrl ?? ownConsoleUrl,
    append: appendAndRead,
    clock,
    log,
    measures,
    mostWaiting: options.mostWaiting ?? 1_000,
  });
  /** Partitions that were assigned to this alerter, and of which it has read no record since then. */
  const fresh = new Set<number>();
  let delivers = false;
  let ownConsoleUrl: string | null = null;

  async function appendRaised(raised: readonly Raised[]): Promise<void> {
    if (raised.length === 0) return;
    await append(raised);
    for (const { event, alert } of raised) {
      if (alert.quiet || event === 'alert.cleared') continue;
      const { id, rule, tenant, subject } = alert;
      measures.raised.inc({ rule });
      log.info({ id, rule, tenant, subject }, 'alert raised');
    }
  }

  async function raise(findings: readonly Finding[]): Promise<Raised[]> {
    const raised = findings.flatMap((finding) => evaluator.raise(finding) ?? []);
    await appendRaised(raised);
    return raised;
  }

  async function onDecisions({ topic, partition, records }: Batch): Promise<void> {
    const { blockRate, releaseRate } = rules.alerting().rules;
    const windowMs = Math.max(...[blockRate, releaseRate].map((rule) => (rule ? rule.windowMs : 0)));
    const [first] = records;
    if (fresh.has(partition) && windowMs > 0 && first !== undefined) {
      // Counting starts again from zero, because an earlier try may have failed halfway.
      evaluator.forget(partition);
      const fromMs = first.appendedAtMs - windowMs;
      const { offset } = first.position;
      await readWindow(bus, { topic, partition, offset }, fromMs, evaluator.recall);
    }
    fresh.delete(partition);
    for (let at = 0; at < records.length; at += AT_A_TIME) {
      if (turns.isOver()) await turns.next(LANE);
      await appendRaised(evaluator.evaluate(records.slice(at, at + AT_A_TIME)));
    }
  }

  async function onAlerts({ partition, records }: Batch, end: number): Promise<void> {
    if (partition !== ALERTS_PARTITION) return;
    await followed.reached(end);
    for (const { value } of records) deliver(book.get(alertToDeliver(value) ?? ''));
  }

  function deliver(entry: Entry | undefined): void {
    for (const [webhook, { state }] of entry?.deliveries ?? []) {
      if (entry !== undefined && state === 'waiting') deliverer.deliver(entry.alert.id, webhook);
    }
  }

  /** Retries while the log is away. Stops without an error if another alerter gets the partition. */
  async function untilDone(
    { topic, partition, signal }: Pick<Batch, 'topic' | 'partition' | 'signal'>,
    work: () => Promise<void>,
  ): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        return await work();
      } catch (error) {
        if (stopping.signal.aborted || isMandateError(error, 'BUS_FENCED')) return;
        if (!isMandateError(error) || !error.retryable) throw error;
        log.warn({ err: error, waitMs, topic, partition }, 'the partition waits');
        measures.waits.inc({ code: error.code });
        await sleep(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  /**
   * Reads all alerts that other alerters have appended. A new partition's decisions are evaluated only after that.
   */
  async function readAllAlerts(): Promise<void> {
    const ranges = await bus.ranges(TOPICS.alerts);
    await followed.reached(ranges.find(({ partition }) => partition === ALERTS_PARTITION)?.endOffset ?? 0);
  }

  const consumer = await bus.consume({
    group: GROUPS.alerter,
    topics: [TOPICS.decisions, TOPICS.alerts],
    from: 'earliest',
    sessionTimeoutMs,
    async onAssigned(partitions) {
      const place = { topic: TOPICS.alerts, partition: ALERTS_PARTITION };
      await untilDone({ ...place, signal: stopping.signal }, readAllAlerts);
      for (const { topic, partition } of partitions) {
        if (topic === TOPICS.decisions) {
          evaluator.forget(partition);
          fresh.add(partition);
        } else if (partition === ALERTS_PARTITION) {
          delivers = true;
          for (const entry of book.waiting()) deliver(entry);
        }
      }
    },
    onBatch: (batch) =>
      untilDone(batch, async () => {
        const last = batch.records.at(-1);
        if (last === undefined) return;
        const end = nextOffset(last);
        await (batch.topic === TOPICS.decisions ? onDecisions(batch) : onAlerts(batch, end));
        await batch.commit(end);
      }),
  });

  async function lookForUnanswered(): Promise<void> {
    const { approval } = rules.alerting().rules;
    if (delivers && approval) await raise([...unanswered(alarms, approval.overdueMs, clock())]);
  }

  const groupsLook = poll(
    lookAtGroupsEveryMs,
    async () => {
      const { lag } = rules.alerting().rules;
      if (delivers && lag) await raise(await groupsBehind(bus, { alarms, lag, nowMs: clock() }));
    },
    (err) => log.warn({ err }, 'it is unknown whether deciders and recorders are late'),
  );
  const look = poll(
    lookEveryMs,
    async () => {
      measures.waiting.set(deliverer.waiting());
      measures.oldest.set(book.oldestWaitingMs(clock()) / 1_000);
      await lookForUnanswered();
      for (const { topic, partition, lag } of await consumer.lag()) {
        if (topic === TOPICS.decisions) measures.lag.set({ topic, partition: String(partition) }, lag);
      }
    },
    (err) => log.warn({ err }, 'the lag and the unanswered approvals are unknown'),
  );

  const finished = Promise.race([consumer.finished, followed.finished, deliverer.finished]);
  const ended = () => {
    look.stop();
    groupsLook.stop();
    stopping.abort(new Error('the alerter stopped'));
  };
  finished.then(ended, ended);
  log.info({ group: GROUPS.alerter }, 'alerting');

  return sharedByRequests<Alerter>({
    finished,
    book,
    alerting: rules.alerting,
    clock,
    append: appendAndRead,
    lastReconciled: followed.lastReconciled,
    raise: async (finding) => (await raise([finding]))[0] ?? null,
    async stop() {
      look.stop();
      groupsLook.stop();
      const delivered = deliverer.stop();
      await consumer.stop();
      // This call ends every wait for the log. If the result of a delivery could not be recorded, the alert is
      // delivered again later.
      ended();
      await delivered;
      await followed.stop();
    },
    caughtUp(signal) {
      const until = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]);
      return untilCommitted(bus, consumer, [TOPICS.decisions], until);
    },
    linkTo(consoleUrl) {
      ownConsoleUrl = consoleUrl;
    },
    readiness: async () => [await answers('log', bus.ping()), rules.readiness()],
  });
}

/**
 * Returns the id of the alert that the record asks to deliver. Null if the record asks for no delivery or cannot be
 * read.
 */
function alertToDeliver(value: Uint8Array): string | null {
  try {
    const record = readAlertsRecord(value);
    if (record.event === 'alert.raised' || record.event === 'alert.cleared') return record.alert.id;
    return record.event === 'alert.replayed' ? record.replay.alertId : null;
  } catch {
    // The follower of the alerts topic has already logged this error.
    return null;
  }
}
