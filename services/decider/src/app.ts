/**
 * The decider: a consumer of the actions topics. For each batch: answer it (answer-batch.ts), publish the decisions,
 * have the ledger check its epoch, commit. In that order, so that a crash in any gap leads to the same outcome. While
 * the ledger or the log is away the partition waits; nothing is decided, nothing is skipped.
 *
 * Any number of deciders share the partitions when they share the ledger: open-ledger.ts, and how a shared one comes
 * back when Redis has lost it, keep-ledger.ts and rebuild-ledger.ts.
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
  /** null or absent where there are no traces. */
  tracer?: Tracer | null;
  /** Called with each error that makes a partition wait: some of them go away only when an operator acts. */
  mend?(error: unknown): void;
  /** The shared topic, and those of tenants that publish directly, as settings name them. */
  topics?: readonly string[];
  /** Further tenants that publish directly, or did, as known when it is asked: see followed-topics.ts. */
  tenantsWithTopics?(): Iterable<string>;
  maxBatch?: number;
  sessionTimeoutMs?: number;
};

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

export type Decider = Running & {
  finished: Promise<void>;
  /** Resolves once everything that is on the actions topics now is decided and committed. */
  caughtUp(signal?: AbortSignal): Promise<void>;
  /** Names what halted under it. That is no reason to end it, or to send the others' work elsewhere: so it is ready. */
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
      log.error({ err, ...partition }, 'the partition halts until somebody sees to it; the others go on');
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

/** What a decider writes under a tenant that is none, no ledger could be folded from. */
function mustNameTenant(topic: string): void {
  const owner = tenantOfTopic(topic);
  if (owner === null || tenant.safeParse(owner).success) return;
  throw new MandateError('TOPIC_INVALID', `The topic "${topic}" ends in no name of a tenant.`, {
    remedy: `Name it ${TOPICS.actions}. and then 1 to 64 letters, digits, dots, dashes or underscores.`,
  });
}

/** Tries again, ever more slowly, as long as what fails may come back; anything else ends the consumer. */
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
      options.mend?.(error);
      options.log.warn({ err: error, waitMs, partition: batch.partition }, 'the partition waits');
      measure.waits.inc({ code: error.code });
      await sleep(waitMs, undefined, { signal: batch.signal }).catch(() => {});
    }
  }
}

/**
 * A tenant's topic that was deleted and made again begins at places where the ledger remembers other records: it waits
 * until they are forgotten, because it must not end the decider of all tenants.
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
      source: { topic: position.topic, partition: position.partition, offset: String(position.offset) },
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

/** What the log does not hold yet. */
type NewAnswer = Exclude<Answer, { kind: 'published' }>;

/** With the headers of what it answers, and the span of the work on that. */
type Given = { answer: NewAnswer; headers: Headers | undefined; span: Span | undefined };

/** The trace of a request goes on in its answer. */
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

/** A record that could not be read is of no tenant. */
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
