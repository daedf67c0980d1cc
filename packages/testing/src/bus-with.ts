import type { Bus, ReaderOptions } from '@mandate/bus';

/** Returns a log that uses `bus`, except for the methods in `changes`. */
export function busWith(bus: Bus, changes: Partial<Bus>): Bus {
  return {
    system: bus.system,
    append: (topic, records, options) => bus.append(topic, records, options),
    consume: (options) => bus.consume(options),
    read: (options) => bus.read(options),
    makeTopic: (topic) => bus.makeTopic(topic),
    ranges: (topic, beforeMs) => bus.ranges(topic, beforeMs),
    positions: (prefix) => bus.positions(prefix),
    at: (position) => bus.at(position),
    ping: () => bus.ping(),
    close: () => bus.close(),
    ...changes,
  };
}

/** Returns a log that uses `bus` with its own topics, because other tests use the same brokers. */
export function busOfOwnTopics(bus: Bus, suffix: string): Bus {
  const own = (topic: string) => (topic.endsWith(suffix) ? topic : `${topic}.${suffix}`);
  const ownPlaces = (from: ReaderOptions['from']) => {
    if (typeof from === 'string') return from;
    const places = Object.entries(from).map(([place, offset]) => {
      const [topic = '', partition] = place.split('/');
      return [`${own(topic)}/${partition}`, offset];
    });
    return Object.fromEntries(places);
  };
  return busWith(bus, {
    append: (topic, records) => bus.append(own(topic), records),
    read: ({ from, ...options }) =>
      bus.read({ ...options, from: ownPlaces(from), topics: options.topics.map(own) }),
    ranges: (topic, beforeMs) => bus.ranges(own(topic), beforeMs),
    at: ({ topic, ...place }) => bus.at({ topic: own(topic), ...place }),
  });
}
