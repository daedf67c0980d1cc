/**
 * The decider: a consumer of the actions topics. For each batch it answers the records (answer-batch.ts), publishes
 * the decisions, confirms with the ledger that its epoch has not changed, and commits. Because of this order, a crash
 * between any two steps changes no result. While the ledger or the log is away, the partition waits: nothing is
 * decided and nothing is skipped.
 *
 * Deciders can share the partitions if they share the ledger (open-ledger.ts). supervise-ledger.ts and
 * rebuild-ledger.ts rebuild a shared ledger after Redis has lost it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Batch, type Bus, type Headers, nextOffset, type Outgoing, untilCommitted } from '@mandate/bus';
import type { Answer, AnswerContext } from '@mandate/engine';
import { answerBatch } from '@mandate/engine';
import {
  beginTogether,
  isMandateError,
  type Logger,
  MandateError,
  produced,
  type ReadinessCheck,
  type Running,
  type Span,
  type Tracer,
  withSpans,
} from '@mandate/runtime';
import {
  DEFAULTS,
  fingerprintIn,
  GROUPS,
  pinnedIn,
  recordHeaders,
  TOPICS,
  tenant,
  tenantOfTopic,
  traceparentOf,
} from '@mandate/schemas';
import type { Metrics } from '@mandate/server';
import { followedTopics } from './followed-topics.ts';
import { type DeciderMeasures, deciderMeasures, measuredSteps } from './measures.ts';
import { beginSpans, describeAnswer } from './trace-batch.ts';
import { watchDecider } from './watch-decider.ts';
import { watchRoom } from './watch-room.ts';

export type DeciderOptions = AnswerContext & {
  bus: Bus;
  log: Logger;
  metrics: Metrics;
  /** Makes spans. Null or absent if there are no traces. */
  tracer?: Tracer | null;
  /**
   * Called with each error that makes a partition wait. Some of these errors need a rebuild of the ledger, or an
   * operator.
   */
  requestRebuild?(error: unknown): void;
  /** The topics to read: the shared topic, and from the settings the topics of tenants that publish directly. */
  topics?: readonly string[];
  /** Returns more tenants that publish directly now, or did earlier. See followed-topics.ts. */
  tenantsWithTopics?(): Iterable<string>;
  maxBatch?: number;
  sessionTimeoutMs?: number;
};

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

export type Decider = Running & {
  finished: Promise<void>;
  /** Resolves once every record that is now on the actions topics is decided and committed. */
  caughtUp(signal?: AbortSignal): Promise<void>;
  /**
   * Names the partitions that halted. The decider is still ready, because other partitions continue and a restart
   * would not help.
   */
  readiness(): ReadinessCheck;
};

export async function startDecider(options: DeciderOptions): Promise<Decider> {
  const { bus, log, topics = [TOPICS.actions], tenantsWithTopics = () => [] } = options;
  topics.forEach(mustNameTenant);
  const followed = await followedTopics({ bus, log, topics, tenantsWithTopics });
  const measure = deciderMeasures(options.metrics);
  const measured = { ...options, ledger: measuredSteps(options.ledger, measure) };
  const halted = new Map<string, string>();
  const consumer = await bus.consume({
    group: GROUPS.decider,
    topics: followed.all(),
    from: 'earliest',
    takesUnreadable: true,
    ...(options.maxBatch === undefined ? {} : { maxBatch: options.maxBatch }),
    ...(options.sessionTimeoutMs === undefined ? {} : { sessionTimeoutMs: options.sessionTimeoutMs }),
    onBatch: (batch) => {
      const spans = beginSpans(options.tracer ?? null, bus, batch);
      return withSpans(spans, () => handleUntilDone(batch, spans, measured, measure));
    },
    onHalted: (partition, err) => {
      log.error({ err, ...partition }, 'the partition halts until an operator acts; the others go on');
      measure.halts.inc({ code: err.code });
      halted.set(`${partition.topic}/${partition.partition}`, err.code);
    },
  });
  log.info({ group: GROUPS.decider }, 'deciding');
  const following = followed.keepFollowing(consumer);
  const watch = watchDecider({ consumer, ledger: options.ledger, log }, measure);
  const { ledger, maxRemembered = () => DEFAULTS.rememberedIds } = options;
  const room = watchRoom({ ledger, maxRemembered, log }, measure);
  const stopping = new AbortController();
  const ended = () => {
    watch.stop();
    room.stop();
    following.stop();
    stopping.abort(new Error('the decider stopped'));
  };
  consumer.finished.then(ended, ended);
  return {
    stop: () => consumer.stop(),
    finished: consumer.finished,
    readiness: () => ({
      name: 'partitions',
      ok: true,
      ...(halted.size > 0 && {
        detail: [...halted].map(([place, code]) => `${place} halted: ${code}`).join(', '),
      }),
    }),
    caughtUp: (signal) =>
      untilCommitted(
        bus,
        consumer,
        followed.all(),
        signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal,
      ),
  };
}

/**
 * Throws if the name of the topic does not end in a valid tenant. A ledger could not be rebuilt from decisions under
 * such a name.
 */
function mustNameTenant(topic: string): void {
  const owner = tenantOfTopic(topic);
  if (owner === null || tenant.safeParse(owner).success) return;
  throw new MandateError('TOPIC_INVALID', `The topic "${topic}" does not end in the name of a tenant.`, {
    remedy: `Name it ${TOPICS.actions}. and then 1 to 64 letters, digits, dots, dashes or underscores.`,
  });
}

/** Retries after growing waits while a retry may help. Any other error ends the consumer. */
async function handleUntilDone(
  batch: Batch,
  spans: readonly Span[],
  options: DeciderOptions,
  measure: DeciderMeasures,
): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; !batch.signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      if (waitMs > FIRST_WAIT_MS) await batch.heartbeat();
      return await handle(batch, spans, options, measure);
    } catch (error) {
      if (isMandateError(error, 'BUS_FENCED')) {
        options.log.warn(
          { topic: batch.topic, partition: batch.partition },
          'the partition went to another decider',
        );
        for (const span of spans) span.fail(error);
        return;
      }
      if (!isMandateError(error) || !isWaitedFor(error, batch)) throw error;
      options.requestRebuild?.(error);
      options.log.warn({ err: error, waitMs, partition: batch.partition }, 'the partition waits');
      measure.waits.inc({ code: error.code });
      await sleep(waitMs, undefined, { signal: batch.signal }).catch(() => {});
    }
  }
}

/**
 * True if the partition waits after this error. After a tenant's topic was deleted and made again, its records have
 * old log positions, which the ledger remembers for other records. The partition waits until the ledger has forgotten
 * them, because the decider serves other tenants too.
 */
function isWaitedFor({ retryable, code }: MandateError, { topic }: Batch): boolean {
  const isMadeAnew = code === 'LEDGER_CORRUPT' && tenantOfTopic(topic) !== null;
  return retryable || code === 'LEDGER_EPOCH_CHANGED' || isMadeAnew;
}

async function handle(
  batch: Batch,
  spans: readonly Span[],
  options: DeciderOptions,
  measure: DeciderMeasures,
): Promise<void> {
  const stopTimer = measure.seconds.startTimer();
  const { ledger, bus } = options;
  const { epoch } = ledger;
  const incoming = batch.records.map(
    ({ position, appendedAtMs, key, value, headers, unreadable, written }, at) => ({
      source: position,
      appendedAtMs,
      key,
      value,
      unreadable,
      written,
      fingerprint: fingerprintIn(headers),
      pinned: pinnedIn(headers),
      span: spans[at],
    }),
  );
  const { answers, operations } = await answerBatch(incoming, options);
  const given = answers.flatMap((answer, at) =>
    answer.kind === 'published' ? [] : [{ answer, headers: batch.records[at]?.headers, span: spans[at] }],
  );
  await Promise.all([
    append(
      bus,
      TOPICS.decisions,
      given.filter(({ answer }) => answer.kind === 'record'),
      measure,
    ),
    append(
      bus,
      TOPICS.deadLetters,
      given.filter(({ answer }) => answer.kind === 'dead-letter'),
      measure,
    ),
  ]);
  await ledger.confirm(epoch, operations);
  const last = batch.records.at(-1);
  if (last !== undefined) await batch.commit(nextOffset(last));
  stopTimer();
  for (const answer of answers) count(answer, measure);
  for (const [at, span] of spans.entries()) {
    const answer = answers[at];
    if (answer !== undefined) span.set(describeAnswer(answer));
  }
}

/** An answer that is not on the log yet. */
type NewAnswer = Exclude<Answer, { kind: 'published' }>;

/** An answer with the headers of its request, and the span of the work on this request. */
type Given = { answer: NewAnswer; headers: Headers | undefined; span: Span | undefined };

/** Appends answers to the log. Each answer continues the trace of its request. */
async function append(
  bus: Bus,
  topic: string,
  given: readonly Given[],
  measure: DeciderMeasures,
): Promise<void> {
  if (given.length === 0) return;
  const spans = beginTogether(
    given.map(({ span }) => span),
    `append ${topic}`,
    produced(bus.system, topic, given.length),
  );
  const records = given.map(({ answer, headers = {} }, at) =>
    outgoingOf(answer, spans[at]?.traceparent ?? traceparentOf(headers)),
  );
  await withSpans(spans, () => bus.append(topic, records));
  for (const [at, { value }] of records.entries())
    measure.countWritten(tenantOf(given[at]?.answer.record), Buffer.byteLength(value));
}

function outgoingOf({ key, record }: NewAnswer, traceparent: string | null): Outgoing {
  const named = { id: idOf(record), event: record.event };
  const headers = recordHeaders(named, { source: 'decider', traceparent });
  const value = JSON.stringify(record);
  return record.event === 'dead.letter' ? { key, value, headers } : { key, value, headers, written: record };
}

/** Returns the tenant of a record. A record that could not be read has no tenant. */
function tenantOf(record: NewAnswer['record'] | undefined): string {
  if (record?.event === 'action.decided') return record.decision.tenant;
  return record?.event === 'action.settled' ? record.settlement.tenant : 'none';
}

function idOf(record: NewAnswer['record']): string {
  if (record.event === 'action.decided') return record.decision.id;
  return record.event === 'action.settled' ? record.settlement.id : record.deadLetter.id;
}

function count(answer: Answer, measure: DeciderMeasures): void {
  if (answer.kind === 'dead-letter') measure.deadLetters.inc();
  if (answer.kind !== 'record') return;
  if (answer.record.event === 'action.settled')
    measure.settlements.inc({ code: answer.record.settlement.code });
  else measure.decisions.inc({ verdict: answer.record.decision.verdict, code: answer.record.decision.code });
}
