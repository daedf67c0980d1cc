import type { Batch, Consumer, ConsumerOptions, LogRecord } from '@mandate/bus';
import { isMandateError } from '@mandate/runtime';
import { misused } from './log-errors.ts';
import type { Holding, Member } from './log-groups.ts';
import type { LogPorts } from './log-ports.ts';
import type { MemoryLog } from './memory-log.ts';
import { nameOf, type TopicPartition, topicPartitionOf } from './topic-partitions.ts';

/**
 * A member of a group. When the log tells it that the group has changed, it takes the partitions that it should own,
 * and releases partitions that other members should own.
 */
export class LogMember implements Consumer {
  readonly finished: Promise<void>;
  readonly #log: MemoryLog;
  readonly #ports: LogPorts;
  readonly #mustBeOpen: () => void;
  readonly #options: ConsumerOptions;
  readonly #finish = Promise.withResolvers<void>();
  readonly #serving = new Map<Holding, { letGo: AbortController; done: Promise<void> }>();
  /** For each partition, a promise that resolves when the member's last work on it has ended. */
  readonly #last = new Map<string, Promise<void>>();
  #topics: readonly string[];
  #member: Member;
  #isTold = false;
  #isAttending = false;
  #isStopping = false;
  #ended: Promise<void> | null = null;
  #failure: { error: unknown } | null = null;

  constructor(log: MemoryLog, ports: LogPorts, mustBeOpen: () => void, options: ConsumerOptions) {
    this.#log = log;
    this.#ports = ports;
    this.#mustBeOpen = mustBeOpen;
    this.#options = options;
    this.#topics = options.topics;
    this.#member = this.#introduction();
    this.finished = this.#finish.promise;
    this.finished.catch(() => {});
  }

  join(): void {
    this.#log.join(this.#options.group, this.#member, this.#options.from);
  }

  stop(drainMs = 10_000): Promise<void> {
    this.#ended ??= this.#end(drainMs);
    return this.#ended;
  }

  async lag() {
    this.#mustBeOpen();
    const { group } = this.#options;
    return this.#topics.flatMap((topic) =>
      this.#log.ranges(topic).map(({ partition, endOffset }) => ({
        topic,
        partition,
        lag: endOffset - this.#log.position(group, { topic, partition }),
      })),
    );
  }

  async follow(topics: readonly string[]): Promise<void> {
    this.#mustBeOpen();
    await this.#ports.call({ do: 'attend' }, () => {
      this.#topics = topics;
      this.#log.follow(this.#options.group, this.#member, topics);
    });
  }

  #introduction(): Member {
    const look = () => void this.#attend(member);
    const { owner } = this.#ports;
    const member: Member = { owner, topics: this.#topics, told: () => this.#ports.post(look) };
    return member;
  }

  /**
   * Only one check of the group runs at a time. Otherwise the delayed answer to one check could undo the effect of a
   * later check.
   */
  async #attend(member: Member): Promise<void> {
    if (member !== this.#member) return;
    this.#isTold = true;
    if (this.#isAttending) return;
    this.#isAttending = true;
    while (this.#isTold && !this.#isStopping) await this.#attendOnce();
    this.#isAttending = false;
  }

  async #attendOnce(): Promise<void> {
    const { group } = this.#options;
    const standing = await this.#ports.call({ do: 'attend' }, () => {
      this.#isTold = false;
      const found = this.#log.standing(group, this.#member);
      if (found !== null || this.#isStopping) return found;
      this.#member = this.#introduction();
      this.join();
      return { holds: [], surplus: [] };
    });
    if (this.#isStopping || standing === null) return;
    for (const [holding, { letGo }] of this.#serving) if (!standing.holds.includes(holding)) letGo.abort();
    for (const holding of standing.surplus) this.#release(holding);
    const fresh = standing.holds.filter((holding) => !this.#serving.has(holding));
    if (fresh.length > 0) this.#take(fresh.filter((holding) => !standing.surplus.includes(holding)));
  }

  #take(fresh: readonly Holding[]): void {
    const before = fresh.map((holding) => this.#last.get(nameOf(holding)));
    const ready = Promise.all(before).then(() => this.#options.onAssigned?.(fresh.map(topicPartitionOf)));
    for (const holding of fresh) {
      const letGo = new AbortController();
      const done = ready
        .then(() => this.#serve(holding, letGo.signal))
        .catch((error: unknown) => {
          if (!isMandateError(error, 'BUS_FENCED')) this.#fail(error);
        });
      this.#serving.set(holding, { letGo, done });
      this.#last.set(nameOf(holding), done);
    }
  }

  /** Releases a partition after the handler has finished its batch. Only then may another member take over. */
  #release(holding: Holding): void {
    const serving = this.#serving.get(holding);
    if (serving?.letGo.signal.aborted) return;
    serving?.letGo.abort();
    void Promise.resolve(serving?.done).then(() =>
      this.#ports.call({ do: 'attend' }, () => this.#log.release(this.#options.group, holding)),
    );
  }

  async #serve(holding: Holding, signal: AbortSignal): Promise<void> {
    const { group, maxBatch = 500, onHalted, onBatch } = this.#options;
    for (let pauseMs = 1; !signal.aborted; ) {
      const fetched = await this.#ports.call({ do: 'fetch' }, () => {
        const from = this.#log.position(group, holding);
        try {
          return { from, records: this.#log.read(holding, from, maxBatch), end: this.#log.end(holding) };
        } catch (error) {
          if (onHalted === undefined || !isMandateError(error)) throw error;
          onHalted(topicPartitionOf(holding), error);
          return null;
        }
      });
      if (fetched === null || signal.aborted) return;
      const { from, records, end } = fetched;
      if (records.length === 0) {
        await this.#somethingAfter(holding, from, signal);
        continue;
      }
      const batch = this.#batch(holding, records, end, signal);
      await onBatch(batch);
      if (batch.position() > from) pauseMs = 1;
      else {
        pauseMs = Math.min(pauseMs * 2, 1_000);
        await this.#ports.sleep(pauseMs, signal).catch(() => {});
      }
    }
  }

  #somethingAfter(topicPartition: TopicPartition, from: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#log.waitFor(topicPartition, from, () => this.#ports.post(resolve));
      signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
  }

  #batch(holding: Holding, records: readonly LogRecord[], endOffset: number, signal: AbortSignal) {
    const { group } = this.#options;
    const first = records[0]?.position.offset ?? 0;
    const afterLast = first + records.length;
    let position = first;
    const batch: Batch & { position(): number } = {
      ...topicPartitionOf(holding),
      records,
      endOffset,
      signal,
      position: () => position,
      commit: async (nextOffset) => {
        this.#mustBeOpen();
        if (!Number.isSafeInteger(nextOffset) || nextOffset < first || nextOffset > afterLast)
          throw misused(`commit(${nextOffset}) of a batch of offsets ${first} to ${afterLast - 1}`);
        await this.#ports.call({ do: 'commit' }, () => this.#log.commit(group, holding, nextOffset));
        position = Math.max(position, nextOffset);
      },
      heartbeat: () => this.#ports.call({ do: 'heartbeat' }, () => this.#log.mustHold(group, holding)),
    };
    return batch;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    void this.stop();
  }

  async #end(drainMs: number): Promise<void> {
    this.#isStopping = true;
    for (const { letGo } of this.#serving.values()) letGo.abort();
    const drained = new AbortController();
    await Promise.race([
      Promise.all(this.#last.values()),
      this.#ports.sleep(drainMs, drained.signal).catch(() => {}),
    ]);
    drained.abort();
    await this.#ports.call({ do: 'attend' }, () => this.#log.leave(this.#options.group, this.#member));
    if (this.#failure === null) this.#finish.resolve();
    else this.#finish.reject(this.#failure.error);
  }
}
