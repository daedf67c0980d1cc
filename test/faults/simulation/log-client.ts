import type { Acknowledged, Bus, Outgoing } from '@mandate/bus';
import { closed } from './log-errors.ts';
import { LogMember } from './log-member.ts';
import type { LogPorts } from './log-ports.ts';
import { LogReader } from './log-reader.ts';
import type { MemoryLog } from './memory-log.ts';

/** Returns the bus through which one process uses the log. */
export function openLog(log: MemoryLog, ports: LogPorts): Bus {
  return new LogClient(log, ports).bus();
}

/** The log as one process uses it: its open consumers and readers, and its appends that are not answered yet. */
class LogClient {
  readonly #log: MemoryLog;
  readonly #ports: LogPorts;
  readonly #open = new Set<{ stop(): Promise<void> }>();
  readonly #appending = new Set<Promise<unknown>>();
  #closing: Promise<void> | null = null;
  #isClosed = false;

  constructor(log: MemoryLog, ports: LogPorts) {
    this.#log = log;
    this.#ports = ports;
  }

  bus(): Bus {
    const log = this.#log;
    const look = async <T>(effect: () => T): Promise<T> => {
      this.#mustBeOpen();
      return this.#ports.call({ do: 'look' }, effect);
    };
    return {
      system: 'kafka',
      append: (topic, records, options) => this.#append(topic, records, options?.urgent ?? false),
      consume: async (options) => {
        const mustBeOpen = () => {
          if (this.#isClosed) throw closed();
        };
        const member = new LogMember(log, this.#ports, mustBeOpen, options);
        this.#mustBeOpen();
        await this.#ports.call({ do: 'join' }, () => member.join());
        return this.#opened(member);
      },
      read: async (options) => {
        const reader = await look(() => new LogReader(log, this.#ports, options));
        return this.#opened(reader);
      },
      makeTopic: () => look(() => false),
      ranges: (topic, beforeMs) => look(() => log.ranges(topic, beforeMs)),
      positions: (prefix) => look(() => log.positions(prefix)),
      at: (position) => look(() => log.at(position)),
      ping: () => look(() => {}),
      close: () => {
        this.#closing ??= Promise.all([
          ...[...this.#open].map((each) => each.stop()),
          ...[...this.#appending].map((each) => each.catch(() => {})),
        ]).then(() => {
          this.#isClosed = true;
        });
        return this.#closing;
      },
    };
  }

  async #append(
    topic: string,
    records: readonly Outgoing[],
    urgent: boolean,
  ): Promise<readonly Acknowledged[]> {
    this.#mustBeOpen();
    if (records.length === 0) return [];
    const placed = records.map((record) => ({ record, partition: this.#log.partitionOf(topic, record) }));
    const named = records.some(({ partition }) => partition !== undefined);
    const acknowledged = new Map<Outgoing, Acknowledged>();
    const groups = this.#log.splitsAppends
      ? [...Map.groupBy(placed, ({ partition }) => partition)]
      : ([[null, placed]] as const);
    const appending = Promise.all(
      groups.map(([partition, group]) =>
        this.#ports.call({ do: 'append', topic, partition, named, urgent }, () => {
          for (const each of group)
            acknowledged.set(each.record, this.#log.append(topic, each.partition, each.record));
        }),
      ),
    );
    this.#appending.add(appending);
    await appending.finally(() => this.#appending.delete(appending));
    return records.flatMap((record) => acknowledged.get(record) ?? []);
  }

  #opened<T extends { stop(): Promise<void>; finished: Promise<void> }>(part: T): T {
    this.#open.add(part);
    const ended = () => void this.#open.delete(part);
    part.finished.then(ended, ended);
    return part;
  }

  #mustBeOpen(): void {
    if (this.#closing !== null) throw closed();
  }
}
